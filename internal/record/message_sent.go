package record

// Stop is the text of the message by which a person stops the task of a claim; To is the
// claim's id.
const Stop = "stop"

// Message is message.sent: a line to whoever reads the task.
type Message struct {
	To   string `json:"to,omitempty"`
	Text string `json:"text"`
}

// Kind is message.sent.
func (Message) Kind() Kind { return KindMessage }

// Validate asks what the store cannot: that the fact is whole.
func (p Message) Validate() error {
	return need("text", p.Text)
}
