package httpd

// document makes the OpenAPI document of the routes.
func document(routes []*Route, base, version string) ([]byte, error) { return nil, nil }
