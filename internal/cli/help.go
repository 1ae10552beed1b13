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

// concept is the text that explains one; "" where there is none of the name.
func concept(name string) string {
	text, err := helpTexts.ReadFile("help/" + name + ".txt")
	if err != nil || name == "main" {
		return ""
	}
	return string(text)
}

func (a *app) printHelp(text string) { fmt.Fprint(a.out, a.style().Print(text)) }

func (a *app) helpCmd(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [verb or concept]",
		Short: "explain a verb or a concept",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				a.printHelp(mainHelp())
				return nil
			}
			return a.explainConcept(root, args...)
		},
	}
}

func (a *app) explainConcept(root *cobra.Command, words ...string) error {
	name := strings.Join(words, " ")
	if name == "all" {
		a.printHelp(a.helpAll(root))
		return nil
	}
	if c, rest, err := root.Find(words); err == nil && c != root && len(rest) == 0 {
		a.help(c, nil)
		return nil
	}
	if text := concept(name); text != "" {
		a.printHelp(text)
		return nil
	}
	names := concepts()
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	hint := "torve help"
	if name == "law" || name == "seam" { // what they are explained by, and not what is spelled like them
		hint += " checks"
	} else if near := nearest(names, name); near != "" {
		hint += " " + near
	}
	return usage("help", hint, "there is nothing named %q; these are explained: %s", name, joined(concepts()))
}

// help is one verb's page, behind the concept of its name where there is one.
func (a *app) help(c *cobra.Command, _ []string) {
	if c == c.Root() {
		a.printHelp(mainHelp())
		return
	}
	var b strings.Builder
	if text := concept(c.Name()); text != "" && c.Parent() == c.Root() {
		b.WriteString(text + "\n")
	}
	fmt.Fprintf(&b, "%s %s\n%s\n", c.Parent().CommandPath(), c.Use, a.wrapped("    ", first(c.Long, c.Short), 4))
	if flags := flagsOf(c); flags != "" {
		b.WriteString("\n" + flags)
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\n")
		for _, sub := range c.Commands() {
			fmt.Fprintf(&b, "%s %s\n%s\n", c.CommandPath(), sub.Use, a.wrapped("    ", sub.Short, 4))
		}
	}
	if c.Example != "" {
		fmt.Fprintf(&b, "\n%s\n", c.Example)
	}
	b.WriteString("\nflags of every verb: torve help all\n")
	a.printHelp(b.String())
}

// flagsOf are a verb's own flags, but for --help.
func flagsOf(c *cobra.Command) string {
	c.InitDefaultHelpFlag()
	if f := c.Flags().Lookup("help"); f != nil {
		f.Hidden = true
	}
	return c.LocalNonPersistentFlags().FlagUsagesWrapped(80)
}

func (a *app) helpAll(root *cobra.Command) string {
	var b strings.Builder
	for _, c := range a.verbs() {
		if c.Hidden {
			continue
		}
		fmt.Fprintf(&b, "torve %s\n    %s\n%s", c.Use, c.Short, flagsOf(c))
		for _, sub := range c.Commands() {
			fmt.Fprintf(&b, "torve %s %s\n    %s\n%s", c.Name(), sub.Use, sub.Short, flagsOf(sub))
		}
	}
	fmt.Fprintf(&b, "\nevery verb takes\n%s", root.PersistentFlags().FlagUsagesWrapped(80))
	return b.String()
}
