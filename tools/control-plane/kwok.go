package main

import (
	"os"

	"github.com/spf13/pflag"
	"sigs.k8s.io/kwok/pkg/config"
	"sigs.k8s.io/kwok/pkg/kwok/cmd"
	"sigs.k8s.io/kwok/pkg/log"
	"sigs.k8s.io/kwok/pkg/utils/signals"
)

// runKwok plays the kubelets. kwok reads its --config before its other flags, so the flag set is parsed twice, as its own main does.
func runKwok() {
	flags := pflag.NewFlagSet("global", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.Usage = func() {}

	ctx, logger := log.InitFlags(signals.SetupSignalContext(), flags)
	ctx, err := config.InitFlags(ctx, flags)
	if err != nil {
		logger.Error("Read flags", "err", err)
		os.Exit(1)
	}

	command := cmd.NewCommand(ctx)
	// cobra reads --version as a flag of its own as soon as a version is set, but Kubernetes has put one of another type there: every run would fail.
	command.Version = ""
	command.PersistentFlags().AddFlagSet(flags)
	if err := command.ExecuteContext(ctx); err != nil {
		logger.Error("Stop", "err", err)
		os.Exit(1)
	}
}
