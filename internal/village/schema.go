package village

// schema is the shape of an answer and no more: how many steps, which bodies and how many
// grams are the law's to refuse. The reason comes first, so that a model writes it before the
// verb that it is for.
const schema = `{"type":"object","properties":{"steps":{"type":"array","items":{"type":"object","properties":{` +
	`"reason":{"type":"string"},"verb":{"type":"string","enum":["go","wait","watch","hand","take","say"]},` +
	`"where":{"type":"object","properties":{"x":{"type":"integer"},"y":{"type":"integer"}},"required":["x","y"]},` +
	`"who":{"type":"integer"},"grams":{"type":"number"},"line":{"type":"string"}},"required":["reason","verb"]}}},` +
	`"required":["steps"]}`

// Schema is the JSON schema that a model's answer is held to.
func Schema() []byte { return []byte(schema) }
