package lang

import _ "github.com/ollama/ollama/api" // asked by Live
