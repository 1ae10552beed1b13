package cli

import (
	"fmt"
	"strings"

	"torve/internal/view"
	"torve/internal/village"
)

// worldNext are the commands that a picture ends with: the next tick at which somebody gives
// to somebody, if there is one within a day, and the world living on from here. It lives r on.
func (a *app) worldNext(r *village.Roster) (string, error) {
	follow := "torve world --follow"
	if r.Tick() != worldAt || !a.onTerminal() {
		follow += fmt.Sprintf(" --at %d", r.Tick())
	}
	if !a.onTerminal() {
		follow += fmt.Sprintf(" --until %d", min(r.Tick()+worldHour, worldLast))
	}
	tick, what, err := nextGift(r)
	if err != nil || what == "" {
		return "next: " + follow, err
	}
	gift := fmt.Sprintf("torve world --at %d", tick)
	width := max(view.Width(gift), view.Width(follow))
	first := fmt.Sprintf("next: %-*s  %s", width, gift, what)
	if view.Width(first) > a.style().Width {
		return "next: " + gift + "\n      " + follow, nil
	}
	return fmt.Sprintf("%s\n      %-*s  lives on", first, width, follow), nil
}

// nextGift lives a day on and gives the first tick in it at which a villager gave, and to whom;
// "" where none did, or the day would end behind the last tick.
func nextGift(r *village.Roster) (tick int, what string, err error) {
	from := r.Tick()
	if from+village.Day > worldLast {
		return 0, "", nil
	}
	if err := r.Run(from + village.Day); err != nil {
		return 0, "", broken("living on", "", err)
	}
	for _, v := range r.Villagers() {
		for _, row := range r.Stream(v.ID) {
			if row.Register == "did" && strings.HasPrefix(row.Text, "put ") && row.Tick > from && (what == "" || row.Tick < tick) {
				_, to, _ := strings.Cut(row.Text, " parcels in ")
				to, _, _ = strings.Cut(to, "'s hands")
				tick, what = row.Tick, v.Name+" gives to "+to
			}
		}
	}
	return tick, what, nil
}
