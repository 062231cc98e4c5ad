package main

import (
	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

func completionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "completion bash|zsh|fish|powershell", Short: "write a shell's completion script",
		Long: `Writes a script that completes commands, flags, files and versions. For kubectl crosswalk, write an executable file
kubectl_complete-crosswalk to a directory of PATH, with the line: exec kubectl crosswalk __complete "$@"
`,
		Example: `source <(crosswalk completion bash)
crosswalk completion zsh > _crosswalk
crosswalk completion fish > crosswalk.fish
crosswalk completion powershell > crosswalk.ps1`,
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		Args:      cobra.ArbitraryArgs, // RunE says which
		RunE: func(cmd *cobra.Command, args []string) error {
			root, out := cmd.Root(), cmd.OutOrStdout()
			write := map[string]func() error{
				"bash":       func() error { return root.GenBashCompletionV2(out, true) },
				"zsh":        func() error { return root.GenZshCompletion(out) },
				"fish":       func() error { return root.GenFishCompletion(out, true) },
				"powershell": func() error { return root.GenPowerShellCompletionWithDesc(out) },
			}[append(args, "")[0]]
			if write == nil || len(args) > 1 {
				return command.Usagef("name one shell: bash, zsh, fish or powershell, not %q", args)
			}
			return write()
		},
	}
}
