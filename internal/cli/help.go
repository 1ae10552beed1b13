package cli

import (
	"embed"
	"fmt"
	"sort"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed help/*.txt
var helpTexts embed.FS

// mainHelp is what torve, torve help and torve --help print.
func mainHelp() string {
	text, err := helpTexts.ReadFile("help/main.txt")
	if err != nil {
		panic(err) // it is embedded: our own broken promise
	}
	return string(text) + "\ntorve help " + strings.Join(concepts(), " | ") + "\n" + exitLine() + "\n"
}

// concepts lists what torve help explains.
func concepts() []string {
	entries, _ := helpTexts.ReadDir("help")
	var names []string
	for _, e := range entries {
		if n := strings.TrimSuffix(e.Name(), ".txt"); n != "main" {
			names = append(names, n)
		}
	}
	sort.Strings(names)
	return append(names, "all")
}

func (a *app) helpCmd(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [verb or concept]",
		Short: "explain a verb or a concept",
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.noJSON("help"); err != nil {
				return err
			}
			if len(args) == 0 {
				fmt.Fprint(a.out, mainHelp())
				return nil
			}
			return a.explainConcept(root, args[0])
		},
	}
}

func (a *app) explainConcept(root *cobra.Command, name string) error {
	if name == "all" {
		return a.helpAll(root)
	}
	if text, err := helpTexts.ReadFile("help/" + name + ".txt"); err == nil {
		fmt.Fprint(a.out, string(text))
		return nil
	}
	if c, _, err := root.Find([]string{name}); err == nil && c != root {
		return c.Help()
	}
	return usage("help", "torve help "+strings.Join(concepts(), " | "), "there is nothing named %q", name)
}

func (a *app) helpAll(root *cobra.Command) error {
	for _, c := range root.Commands() {
		if c.Hidden || c.Name() == "completion" {
			continue
		}
		fmt.Fprintf(a.out, "torve %s\n    %s\n", c.Use, c.Short)
		c.LocalNonPersistentFlags().SortFlags = false
		if flags := c.LocalNonPersistentFlags().FlagUsages(); flags != "" {
			fmt.Fprint(a.out, flags)
		}
	}
	fmt.Fprintf(a.out, "\nevery verb\n%s", root.PersistentFlags().FlagUsages())
	return nil
}
