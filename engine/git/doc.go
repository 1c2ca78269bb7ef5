// Package git reads changes with the person's own git, without ever writing
// into the person's repository and without letting the reviewed code decide
// how it is read.
//
//	clone (read only) --alternate--> Store (private, bare) --> Diff, Tree, Blobs
//	forge ------------fetch--------/
//
// A Clone is the person's repository: only its references, its configuration
// and the place of its objects are read. Everything that looks at content runs
// in a Store, a bare repository of mrv's own below the cache directory. A bare
// repository has no working tree, hence no .gitattributes that could hide a
// file or start a filter; its HEAD never points to a commit, so that versions
// of git which read attributes from HEAD find none.
//
// It must never run a hook, a filter, a text converter or an external diff,
// and never put a token into an argument.
package git
