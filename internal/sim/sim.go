// Package sim is the ground of the world: cells, identities, and a bed of ground and water
// with the crop that stands on it. Grams are integers of a ten-thousandth.
package sim

import (
	"errors"
	"fmt"
)

// Coord is a cell: X grows to the east, Y to the south.
type Coord struct {
	X int `json:"x"`
	Y int `json:"y"`
}

// EntityID names a body for as long as the world lasts. 0 names nobody.
type EntityID int

// Kind is what a cell is.
type Kind uint8

// The kinds. What is off the grid is water: nobody stands there.
const (
	Ground Kind = iota
	Water
)

// Bed is the grid.
type Bed struct {
	W, H int
	kind []Kind
	crop []int64
}

// NewBed lays a bed out of rows of '.' (ground) and '~' (water), all of one width, with so
// much crop on each cell of ground.
func NewBed(rows []string, crop int64) (*Bed, error) {
	if len(rows) == 0 || len(rows[0]) == 0 {
		return nil, errors.New("a bed of no cells")
	}
	b := &Bed{W: len(rows[0]), H: len(rows)}
	for y, row := range rows {
		if len(row) != b.W {
			return nil, fmt.Errorf("row %d has %d cells, and the first has %d", y, len(row), b.W)
		}
		for x, c := range row {
			switch c {
			case '.':
				b.kind, b.crop = append(b.kind, Ground), append(b.crop, crop)
			case '~':
				b.kind, b.crop = append(b.kind, Water), append(b.crop, 0)
			default:
				return nil, fmt.Errorf("%d,%d is %q, which is neither ground (.) nor water (~)", x, y, c)
			}
		}
	}
	return b, nil
}

// In reports whether a cell is on the grid.
func (b *Bed) In(c Coord) bool { return c.X >= 0 && c.Y >= 0 && c.X < b.W && c.Y < b.H }

// Kind is what a cell is.
func (b *Bed) Kind(c Coord) Kind {
	if !b.In(c) {
		return Water
	}
	return b.kind[b.at(c)]
}

// Crop is what stands on a cell, in the world's integers.
func (b *Bed) Crop(c Coord) int64 {
	if !b.In(c) {
		return 0
	}
	return b.crop[b.at(c)]
}

// SetCrop says what stands on a cell of ground from now on; on water nothing stands.
func (b *Bed) SetCrop(c Coord, crop int64) {
	if b.Kind(c) == Ground {
		b.crop[b.at(c)] = crop
	}
}

// Grow lets the crop of every cell of ground grow by so much, as far as it may stand.
func (b *Bed) Grow(by, most int64) {
	for i, kind := range b.kind {
		if kind == Ground {
			b.crop[i] = min(b.crop[i]+by, most)
		}
	}
}

// Rows are the bed as NewBed reads it.
func (b *Bed) Rows() []string {
	rows := make([]string, b.H)
	for y := range rows {
		row := make([]byte, b.W)
		for x := range row {
			row[x] = '.'
			if b.kind[b.at(Coord{X: x, Y: y})] == Water {
				row[x] = '~'
			}
		}
		rows[y] = string(row)
	}
	return rows
}

func (b *Bed) at(c Coord) int { return c.Y*b.W + c.X }
