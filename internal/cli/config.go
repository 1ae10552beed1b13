package cli

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"torve/internal/strictyaml"
)

// configFile is the one file of settings, read from the work tree.
const configFile = ".torve/config.yaml"

const configSchema = "torve/config/v1"

const (
	tenMinutes = 10 * time.Minute
	tenSeconds = 10 * time.Second
	sixHours   = 6 * time.Hour
)

// config is .torve/config.yaml with its defaults.
type config struct {
	Schema     string                  `yaml:"schema"`
	Requires   string                  `yaml:"requires"`
	Target     string                  `yaml:"target"`
	Record     recordConfig            `yaml:"record"`
	Acceptance []string                `yaml:"acceptance"`
	Agent      agentConfig             `yaml:"agent"`
	Agents     map[string]agentSetting `yaml:"agents"`
	Worktree   worktreeConfig          `yaml:"worktree"`
	Sandbox    sandboxConfig           `yaml:"sandbox"`
	Limits     limitsConfig            `yaml:"limits"`
	Landing    landingConfig           `yaml:"landing"`
	Review     reviewConfig            `yaml:"review"`
	Notify     notifyConfig            `yaml:"notify"`
	Law        lawConfig               `yaml:"law"`
	Scope      scopeConfig             `yaml:"scope"`
	Dispatch   dispatchConfig          `yaml:"dispatch"`
}

type recordConfig struct {
	Partition string `yaml:"partition"`
}

type agentConfig struct {
	Default string `yaml:"default"`
}

type agentSetting struct {
	Adapter string             `yaml:"adapter"`
	Run     []string           `yaml:"run"`
	Model   string             `yaml:"model"`
	Args    []string           `yaml:"args"`
	Env     []string           `yaml:"env"`
	Slots   int                `yaml:"slots"`
	Prompt  string             `yaml:"prompt"`  // file, stdin or arg
	Patches string             `yaml:"patches"` // of adapter replay: a folder
	Sees    string             `yaml:"sees"`
	Price   map[string]float64 `yaml:"price"`
}

type worktreeConfig struct {
	Root       string   `yaml:"root"`
	Setup      []string `yaml:"setup"`
	Teardown   []string `yaml:"teardown"`
	Copy       []string `yaml:"copy"`
	Keep       []string `yaml:"keep"`
	Sparse     string   `yaml:"sparse"`
	Submodules string   `yaml:"submodules"`
	LFS        string   `yaml:"lfs"`
}

type sandboxConfig struct {
	Mode     string   `yaml:"mode"`
	Required bool     `yaml:"required"`
	Network  string   `yaml:"network"`
	Hide     []string `yaml:"hide"`
}

type limitsConfig struct {
	Acceptance strictyaml.Duration `yaml:"acceptance"`
	Setup      strictyaml.Duration `yaml:"setup"`
	Idle       strictyaml.Duration `yaml:"idle"`
	Grace      strictyaml.Duration `yaml:"grace"`
}

type landingConfig struct {
	Mode string `yaml:"mode"`
	Push string `yaml:"push"`
	Sign string `yaml:"sign"`
}

type reviewConfig struct {
	By       string `yaml:"by"`
	BlocksAt string `yaml:"blocks_at"`
}

type notifyConfig struct {
	Run []string `yaml:"run"`
}

type lawConfig struct {
	Stale        int      `yaml:"stale"`
	Protect      []string `yaml:"protect"`
	Secrets      string   `yaml:"secrets"`
	SecretsAllow []string `yaml:"secrets_allow"`
}

type scopeConfig struct {
	Shared []string `yaml:"shared"`
}

type dispatchConfig struct {
	Workers           int                 `yaml:"workers"`
	USD               float64             `yaml:"usd"`
	Until             string              `yaml:"until"`
	Wait              strictyaml.Duration `yaml:"wait"`
	StopOnEscalations int                 `yaml:"stop_on_escalations"`
}

func defaultConfig() config {
	return config{
		Schema: configSchema, Target: "main",
		Worktree: worktreeConfig{Sparse: "inherit", Submodules: "auto", LFS: "skip"},
		Sandbox:  sandboxConfig{Mode: "auto", Network: "on"},
		Limits: limitsConfig{
			Acceptance: strictyaml.Duration(tenMinutes), Setup: strictyaml.Duration(tenMinutes),
			Idle: strictyaml.Duration(tenMinutes), Grace: strictyaml.Duration(tenSeconds),
		},
		Landing:  landingConfig{Mode: "auto", Sign: "inherit"},
		Review:   reviewConfig{BlocksAt: "major"},
		Law:      lawConfig{Stale: 200, Secrets: "on", SecretsAllow: []string{"testdata/**"}},
		Scope:    scopeConfig{Shared: []string{"go.mod", "go.sum", "CHANGELOG.md", "package-lock.json"}},
		Dispatch: dispatchConfig{Workers: 2, Wait: strictyaml.Duration(sixHours)},
	}
}

// errNoConfig says that the repository has no configuration.
var errNoConfig = errors.New("there is no " + configFile + " here")

// readConfig reads and checks the configuration of a work tree.
func readConfig(root string) (config, error) {
	data, err := os.ReadFile(filepath.Join(root, configFile))
	if errors.Is(err, os.ErrNotExist) {
		return defaultConfig(), errNoConfig
	}
	if err != nil {
		return config{}, broken("reading the configuration", "", err)
	}
	return parseConfig(data)
}

// storeKey is a key that somebody may take for the one that names a store.
var storeKey = regexp.MustCompile(`^there is no key "(dsn|url|uri|database|db|host|user|password|connection|postgres|store)"`)

// parseConfig decodes strictly over the defaults and asks what types cannot.
func parseConfig(data []byte) (config, error) {
	c := defaultConfig()
	err := strictyaml.Decode(configFile, data, &c)
	var bad *strictyaml.Error
	if errors.As(err, &bad) && storeKey.MatchString(bad.Why) {
		bad.Hint = "take it out, as this file is committed: export TORVE_DSN=@FILE"
	}
	if err != nil {
		return c, err
	}
	return c, c.check()
}
