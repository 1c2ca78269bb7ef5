// Package opencode answers prompts through a private OpenCode 1.x server: one
// server for all reviewers of a run, one session for each.
//
//	Find -> New --------------------------------> Agent ---- Open --> session
//	         |  run dir, seeded home, config        |                   | Ask
//	         |  `opencode serve`, own group         |                   v
//	         |  GET /event, before any session      |   prompt_async -> turn
//	         v                                      v                   ^
//	      process --- events --- stream --- per-session mailbox --------+
//	                             poll of /session/status every 3 s -----+
//
// turn is the pure part: what the server says goes in, agent.Updates and the
// end of the turn come out; it does no I/O and is tested on recordings of the
// real server. The rest moves bytes.
//
// The server never sees the person's home, the repository or any credential
// that the team's providers do not need. Its working directory is a snapshot
// that holds nothing that steers or runs in an agent; New refuses another.
//
// Every limit and duration in this package that is about the server was
// measured on opencode 1.18.33; the recordings are in testdata/opencode.
package opencode
