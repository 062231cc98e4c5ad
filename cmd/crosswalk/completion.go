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
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return command.Usagef("name one shell: bash, zsh, fish or powershell")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			root, out := cmd.Root(), cmd.OutOrStdout()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(out)
			}
			return command.Usagef("%q is not one of bash, zsh, fish and powershell", args[0])
		},
	}
}
