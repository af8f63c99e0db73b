package journal

import (
	"bytes"
	"encoding/json"
)

// deliveries is the member of a tool result's details that says what it delivered.
type deliveries struct {
	List []Delivery `json:"memoryDeliveries"`
}

var deliveriesMember = []byte(`"memoryDeliveries"`)

// Deliveries are the memories that a message brought before the model by itself: those
// that its details name. Details that cannot be read deliver nothing.
func (p *Message) Deliveries() []Delivery {
	if p.Role != RoleToolResult || !bytes.Contains(p.Details, deliveriesMember) {
		return nil
	}
	var in deliveries
	if json.Unmarshal(p.Details, &in) != nil {
		return nil
	}
	return in.List
}
