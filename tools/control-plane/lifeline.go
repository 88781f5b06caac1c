package main

import (
	"os"
	"syscall"
)

// lifelineDescriptor is where the owner passes one end of a pipe whose other end only the owner holds.
const lifelineDescriptor = 3

// followLifeline ends this process when its owner is gone, however the owner went: the kernel closes the owner's end even after a SIGKILL.
// One byte on the line lets go: the process then outlives its owner.
func followLifeline() {
	if os.Getenv("DROVER_LIFELINE") == "" {
		return
	}
	// A child that inherited the line could read the byte that is meant for this process.
	syscall.CloseOnExec(lifelineDescriptor)
	line := os.NewFile(lifelineDescriptor, "lifeline")
	go func() {
		if n, _ := line.Read(make([]byte, 1)); n == 0 {
			os.Exit(1)
		}
	}()
}
