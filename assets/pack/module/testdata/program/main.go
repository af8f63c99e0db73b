// Command program is what the tests of package module rewrite: small, with a library
// function, a deferred call, and pointers that the collector must find.
package main

import (
	"fmt"
	"runtime/debug"
	"strings"
)

type node struct {
	next *node
	name string
}

func main() {
	defer func() { fmt.Println(recover(), string(debug.Stack())) }()
	var list *node
	for _, s := range strings.Fields("rings and leaves") {
		list = &node{list, s}
	}
	fmt.Println(list.next.next.next.name)
}
