package diff

import (
	"path"
	"strings"
)

// binaryEnds are the endings of files that git takes for binary. They count
// only where a change shows nothing of a file but its two names: a pure rename
// or copy, of which git's own count says "binary" and its text nothing.
var binaryEnds = map[string]bool{
	".7z": true, ".a": true, ".avi": true, ".bin": true, ".bmp": true, ".bz2": true, ".class": true, ".dat": true, ".db": true,
	".dll": true, ".doc": true, ".docx": true, ".dylib": true, ".eot": true, ".exe": true, ".flac": true, ".gif": true, ".gz": true,
	".icns": true, ".ico": true, ".jar": true, ".jpeg": true, ".jpg": true, ".keystore": true, ".mo": true, ".mov": true, ".mp3": true,
	".mp4": true, ".o": true, ".odt": true, ".ogg": true, ".otf": true, ".pdf": true, ".png": true, ".ppt": true, ".pptx": true,
	".psd": true, ".pyc": true, ".rar": true, ".so": true, ".sqlite": true, ".tar": true, ".tgz": true, ".tif": true, ".tiff": true,
	".ttf": true, ".war": true, ".wasm": true, ".wav": true, ".webm": true, ".webp": true, ".woff": true, ".woff2": true, ".xls": true,
	".xlsx": true, ".xz": true, ".zip": true, ".zst": true,
}

// unseen says whether the change shows nothing of the file but its names.
func (f *File) unseen() bool {
	return (f.Status == Renamed || f.Status == Copied) && len(f.Hunks) == 0 && !f.Binary && f.OldID == f.NewID
}

func binaryName(p string) bool { return binaryEnds[strings.ToLower(path.Ext(p))] }
