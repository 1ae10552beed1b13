package record

// Spend is spend.recorded: money spent that belongs to no attempt's usage.
type Spend struct {
	Usage Usage  `json:"usage"`
	What  string `json:"what"`
}

// Kind is spend.recorded.
func (Spend) Kind() Kind { return KindSpend }

// Validate asks what the store cannot: that the fact is whole.
func (p Spend) Validate() error {
	return first(p.Usage.validate(), need("what", p.What))
}
