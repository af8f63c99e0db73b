package projection

import "elowen/server/memory"

// brief is a row of the catalogue.
type brief = memory.Brief
