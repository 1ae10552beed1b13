package workload

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"torve/internal/carrier"
)

func readReport(raw []byte) (carrier.Report, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	var r carrier.Report
	if err := d.Decode(&r); err != nil {
		return carrier.Report{}, fmt.Errorf("the report: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return carrier.Report{}, fmt.Errorf("the report: more than one document")
	}
	return r, nil
}
