// Command child reaches boundaries, and says how far it came.
package main

import (
	"fmt"

	"torve/internal/failpoint"
)

func main() {
	fmt.Print("1 ")
	failpoint.Hit(failpoint.DispatchClaimed)
	fmt.Print("2 ")
	failpoint.Hit(failpoint.AttemptStarted)
	fmt.Print("3 ")
	failpoint.Hit(failpoint.DispatchClaimed)
	fmt.Print("4 ")
}
