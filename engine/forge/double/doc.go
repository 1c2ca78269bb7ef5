// Package double is a GitHub for tests: a server of our own on a unix socket,
// with a real git repository behind it. gh's configuration leads any program
// there (http_unix_socket), so that the shipped binary is tested unmodified.
//
//	mrv --REST--> unix socket --> double --git--> the forge's repository
//	    --git fetch https://github.com/... (insteadOf)--^
//
// Diffs, files, commits and contents are git's own; limits, paging and errors
// are GitHub's as recorded. Every request and every answer is checked against
// GitHub's description of its interface; a deviation of either fails the test.
package double
