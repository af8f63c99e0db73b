package mcpd

import (
	"context"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"elowen/server/delivery"
	"elowen/server/memory"
	"elowen/server/render"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// scheme begins the address of a memory.
const scheme = "memory://"

const plain = "text/plain"

// resources lists the account's memories, newest first, and reads one.
func (h *Handler) resources(s *mcp.Server) {
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "memory", Title: "A memory", URITemplate: scheme + "{id}", MIMEType: plain,
		Description: "One stored memory, whole, by its id.",
	}, h.readMemory)
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method != "resources/list" {
				return next(ctx, method, req)
			}
			cursor := ""
			if p, ok := req.GetParams().(*mcp.ListResourcesParams); ok && p != nil {
				cursor, p.Cursor = p.Cursor, ""
			}
			out, err := next(ctx, method, req)
			if err != nil {
				return nil, err
			}
			page, ok := out.(*mcp.ListResourcesResult)
			if !ok {
				return out, nil
			}
			return page, h.listMemories(ctx, cursor, page)
		}
	})
}

// listMemories fills a page with memories. Beginnings are no deliveries.
func (h *Handler) listMemories(ctx context.Context, cursor string, page *mcp.ListResourcesResult) error {
	ctx, cancel := limited(ctx)
	defer cancel()
	who, err := h.reader(ctx)
	if err != nil {
		return wireFault(err)
	}
	after, ok := placeOf(cursor)
	if !ok {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "The cursor is none of this server's. Begin without one."}
	}
	ids, next, more, err := h.o.Delivery.Recent(ctx, who.Owner, after, setting.Int("list.limit"))
	if err != nil {
		return wireFault(err)
	}
	list, err := h.o.Delivery.Look(ctx, who.Owner, ids)
	if err != nil {
		return wireFault(err)
	}
	page.Resources = []*mcp.Resource{}
	for _, m := range list {
		page.Resources = append(page.Resources, &mcp.Resource{
			URI: scheme + strconv.FormatInt(m.ID, 10), Name: fmt.Sprintf("memory %d", m.ID), Title: render.Harmless(render.Beginning(m.Body)),
			MIMEType: plain, Annotations: &mcp.Annotations{LastModified: time.UnixMilli(int64(m.UpdatedAt)).UTC().Format(time.RFC3339)},
		})
	}
	if page.NextCursor = ""; more {
		page.NextCursor = cursorOf(next)
	}
	return nil
}

// readMemory hands one memory out, which counts as recalled.
func (h *Handler) readMemory(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	ctx, cancel := limited(ctx)
	defer cancel()
	who, err := h.reader(ctx)
	if err != nil {
		return nil, wireFault(err)
	}
	uri := req.Params.URI
	id, err := strconv.ParseInt(strings.TrimPrefix(uri, scheme), 10, 64)
	if err != nil || id < 1 || scheme+strconv.FormatInt(id, 10) != uri {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	out, err := h.o.Delivery.HandOut(ctx, who.Owner, delivery.Request{IDs: []int64{id}, Token: who.TokenID, Full: true, Bytes: int(setting.Get("memory.body").Max)})
	if err != nil {
		return nil, wireFault(err)
	}
	if len(out.Items) == 0 {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	m := render.Of(out.Items[0].Memory)
	m.Category = out.Items[0].Category
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: plain, Text: render.Frame([]render.Memory{m}, out.At)}}}, nil
}

// reader is who asks, if they may read.
func (h *Handler) reader(ctx context.Context) (who identity, err error) {
	if who, err = identify(ctx); err == nil && !who.Can(api.ScopeRead) {
		err = fault.New(fault.Forbidden, "This needs a token with the scope read.")
	}
	return who, err
}

// cursorOf and placeOf are a place among the memories as it travels.
func cursorOf(p memory.Place) string {
	return base64.RawURLEncoding.EncodeToString([]byte(fmt.Sprintf("%d.%d", p.At, p.ID)))
}

func placeOf(cursor string) (memory.Place, bool) {
	if cursor == "" {
		return memory.Place{}, true
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return memory.Place{}, false
	}
	at, id, _ := strings.Cut(string(text), ".")
	p := memory.Place{}
	if p.At, err = strconv.ParseInt(at, 10, 64); err != nil {
		return p, false
	}
	p.ID, err = strconv.ParseInt(id, 10, 64)
	return p, err == nil && p.ID > 0
}
