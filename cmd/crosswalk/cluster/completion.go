package cluster

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
)

// completionTime bounds a completion that asks a cluster.
const completionTime = 3 * time.Second

// CompleteContexts completes a flag with the contexts of the kubeconfig.
func CompleteContexts(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	kubeconfig, err := cmd.Flags().GetString("kubeconfig")
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names, err := contexts(kubeconfig)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// CompleteDefinitions completes arguments with the definitions of the cluster that have several versions.
func CompleteDefinitions(flags **Flags) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
		defer cancel()
		if c, err := (*flags).Open(); err == nil {
			rows, _ := c.List(ctx, attach.Gateway{})
			for _, row := range rows {
				names = append(names, row.Name)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
