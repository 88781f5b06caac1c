// The kubectl that people have: by itself, because it is started a thousand times in a test run, and as a part of the whole control plane it would
// take twice as long each time. Also the sources of the older one, which is built against older modules.
package main

import (
	"k8s.io/component-base/cli"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
		kubectlutil.CheckErr(err) // prints and exits as the released kubectl does
	}
}
