package openaid

import (
	"net/http"

	"elowen/shared/api"
	"elowen/shared/fault"
)

// wireModel is a model as OpenAI lists one.
type wireModel struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"` // 0: nobody tells
	Owner   string `json:"owned_by"`
}

// names are all models that may be asked for by name.
func (h *Handler) names(c *call) ([]wireModel, error) {
	list, err := h.o.Models.Names(c.r.Context())
	if err != nil {
		return nil, err
	}
	if s := h.o.Embedding.Snapshot(); s.On() {
		list = append(list, api.ListedModel{Provider: s.Kind, ID: s.Model})
	}
	out := []wireModel{}
	for _, m := range list {
		out = append(out, wireModel{ID: m.ID, Object: "model", Owner: m.Provider})
	}
	return out, nil
}

// models answers GET /v1/models.
func (h *Handler) models(c *call) error {
	list, err := h.names(c)
	if err != nil {
		return err
	}
	write(c.w, http.StatusOK, struct {
		Object string      `json:"object"`
		Data   []wireModel `json:"data"`
	}{"list", list})
	return nil
}

// model answers GET /v1/models/{model}.
func (h *Handler) model(c *call) error {
	list, err := h.names(c)
	if err != nil {
		return err
	}
	for _, m := range list {
		if m.ID == c.r.PathValue("model") {
			write(c.w, http.StatusOK, m)
			return nil
		}
	}
	return about("model", fault.New(fault.NotFound, "There is no such model. GET /v1/models lists those that there are."))
}
