// An MCP server on the official Go SDK, with the tools of the other servers of this suite. Prints
// its URL on one line. With -stateless it keeps no sessions.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type none struct{}

type numbers struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

type sum struct {
	Sum float64 `json:"sum"`
}

func text(words string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: words}}}
}

func add(_ context.Context, _ *mcp.CallToolRequest, in numbers) (*mcp.CallToolResult, sum, error) {
	return text(fmt.Sprintf("%g", in.A+in.B)), sum{in.A + in.B}, nil
}

func fail(_ context.Context, _ *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, any, error) {
	return nil, nil, errors.New("no such city")
}

func steps(ctx context.Context, req *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, any, error) {
	for step := range 3 {
		time.Sleep(250 * time.Millisecond)
		if token := req.Params.GetProgressToken(); token != nil {
			req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token,
				Progress:      float64(step + 1),
				Total:         3,
				Message:       fmt.Sprintf("step %d", step+1),
			})
		}
	}
	return text("all steps"), nil, nil
}

func wait(ctx context.Context, _ *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, any, error) {
	<-ctx.Done()
	return nil, nil, ctx.Err()
}

func greet(_ context.Context, req *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, any, error) {
	if answer, ok := req.Params.InputResponses["who"].(*mcp.ElicitResult); ok {
		return text(fmt.Sprintf("%s %v", answer.Action, answer.Content["name"])), nil, nil
	}
	return &mcp.CallToolResult{
		InputRequests: mcp.InputRequestMap{
			"who": &mcp.ElicitParams{
				Message: "Who are you?",
				RequestedSchema: &jsonschema.Schema{
					Type:       "object",
					Properties: map[string]*jsonschema.Schema{"name": {Type: "string"}},
				},
			},
		},
	}, nil, nil
}

func main() {
	stateless := flag.Bool("stateless", false, "keep no sessions")
	flag.Parse()
	server := mcp.NewServer(&mcp.Implementation{Name: "go", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "add"}, add)
	mcp.AddTool(server, &mcp.Tool{Name: "fail"}, fail)
	mcp.AddTool(server, &mcp.Tool{Name: "steps"}, steps)
	mcp.AddTool(server, &mcp.Tool{Name: "wait"}, wait)
	mcp.AddTool(server, &mcp.Tool{Name: "greet"}, greet)
	options := &mcp.StreamableHTTPOptions{Stateless: *stateless, PropagateRequestCancellation: true}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, options)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("http://%s/mcp\n", listener.Addr())
	panic(http.Serve(listener, handler))
}
