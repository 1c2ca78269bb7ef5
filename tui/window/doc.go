// Package window is a terminal window for tests: a pty with an emulator as its
// screen and a person before it, who presses keys and waits until something is
// there to see.
//
//	w := window.Start(t, exec.Command("mrv", "tui", "--demo"), 120, 36)
//	w.See("4/4 done")
//	w.Press("tab", "a", "q", "y")
//	w.Exit()
//
// Nothing sleeps for a guess: each wait ends with what the program wrote. Open
// gives a window without a program of its own, for one that runs in the test.
// What the window shows can be drawn cell by cell as an SVG, for the README's
// pictures; a slow line and the time from a key to the screen are here for the
// benchmarks. It is never linked into the program.
package window
