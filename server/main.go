package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"elowen/server/code"
	"elowen/server/command"
)

func main() {
	code.Child()         // where it was started to run one script, it does nothing else
	syscall.Umask(0o077) // whatever it writes is its user's alone; SQLite asks for more
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // asked twice, it ends at once
	os.Exit(command.Surroundings().Run(ctx, os.Args[1:]))
}
