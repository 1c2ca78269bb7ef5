// Package command asks a program of the person's that reads a prompt on its
// standard input and answers on its standard output (claude -p, codex exec,
// gemini -p, anything), as text or as JSON lines.
//
//	prompt --> stdin [program in its own process group] stdout --> pane, answer
//	                  HOME: private, only the login paths that are named
//	                  cwd:  the snapshot       environment: what is named
//
// Where bubblewrap is installed, the program sees the system read-only and
// nothing of the person's home but what is named. Elsewhere it can read the
// home by its full path, and the person is told so.
package command
