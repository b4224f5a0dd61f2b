"""Owns the two command lines that sondage ever runs on a host. They are constants: no name of a host is put into one.

Every name travels NUL-terminated on standard input and reaches the host's tools as an argument, never as shell text.
The outermost command must mean the same in bash, dash, BusyBox ash, zsh, fish and tcsh, because the host's login shell
reads it: one line, and inside the single quotes no single quote, no exclamation mark, no pair of backslashes.

What they answer, with NUL for the byte 0 and NONCE for the 32 characters that were sent (no noise of a start-up file
can contain them):

LIST  sent: NONCE, ROOT, the count of pruned names, the pruned names, the patterns; each ended by NUL.
      answered: NUL NONCE NUL FLAVOUR NUL SYSTEM NUL CLOCK NUL ROOT NUL, records, the record `eSTATUS NONCE`.
PULL  sent: NONCE and the size of a group in three digits, without NULs; then absolute paths, each ended by NUL.
      answered: NUL NONCE NUL FLAVOUR NUL TAR NUL; for each group of paths a tar archive, NUL `tSTATUS COUNT` NUL, the
      records of the same files as they are *after* they were read, the record `g`; at last NUL `eSTATUS NONCE` NUL.

A record ends with NUL where FLAVOUR is `gnu`, and with `//` and a line feed where it is `stat` or `bsd` (no path can
contain `//`, and those tools cannot write a NUL). It is one of
    fSIZE MTIME CTIME INODE PATH        a regular file; times in seconds, with or without a fraction
    lPATH and REAL and                  a symbolic link, the real path it leads to, and what is there, MODE being
    SIZE MTIME CTIME INODE MODE         hexadecimal: three records, the last two empty where it leads nowhere
"""

from __future__ import annotations

NONCE_LENGTH = 32
GROUP_DIGITS = 3


def _one_line(script: str) -> str:
    return " ".join(line.strip() for line in script.strip().splitlines())


def _inner(script: str) -> str:
    """A script as a word of a script around it, where it stands in double quotes."""
    return '"' + _one_line(script).replace('"', '\\"').replace("$", "\\$") + '"'


# `gnu` has find -printf, `stat` (BusyBox) prints with stat -c, `bsd` (macOS as well) with stat -f.
_FLAVOUR = """
    if find / -prune -printf "" >/dev/null 2>&1; then f=gnu;
    elif stat -c %s / >/dev/null 2>&1; then f=stat;
    elif stat -f %z / >/dev/null 2>&1; then f=bsd;
    else f=none; fi;
"""

_GNU_LINK = r"""
    printf "l%s\0" "$f"; readlink -zf "$f" || printf "\0";
    stat -L --printf "%s %.9Y %.9Z %i %f\0" "$f" || printf "\0";
"""
_GNU_LINKS = _inner(f"for f do {_GNU_LINK} done 2>/dev/null; :")
# Links whose names were not asked for matter only where they lead to a folder.
_GNU_FOLDER_LINKS = _inner(f'for f do test -d "$f" || continue; {_GNU_LINK} done 2>/dev/null; :')
_STAT_LINKS = _inner(r"""
    for f do printf "l%s//\n%s//\n" "$f" "$(readlink -f "$f")";
    stat -L -c "%s %Y %Z %i %f//" "$f" || printf "//\n"; done 2>/dev/null; :
""")
_BSD_LINKS = _inner(r"""
    for f do printf "l%s//\n%s//\n" "$f" "$(readlink -f "$f")";
    stat -L -f "%z %Fm %Fc %i %Xp//" "$f" || printf "//\n"; done 2>/dev/null; :
""")

# A root of `~` or `~/…` is the only thing that is expanded. What find looks for is built from the arguments
# themselves, so that none of them is read as shell text; `-name ""` matches nothing and opens a list of alternatives
# that may stay empty. BusyBox runs an `-exec … +` only where it stands outside of all brackets. The kernel's own trees
# hold no sources and answer slowly. Standard error between two lines of the nonce is find's own: its lines are counted
# as entries that could not be read.
_LIST = _one_line(rf"""
    n=$1; r=$2; p=$3; shift 3; c=$#; i=0; y=;
    case $r in "~") r=$HOME;; "~/"*) r=$HOME/${{r#??}};; esac;
    {_FLAVOUR}
    if cd -P -- "$r" 2>/dev/null; then r=$(pwd -P);
    elif test -d "$r"; then f=closed; elif test -e "$r"; then f=file; else f=absent; fi;
    printf "\0%s\0%s\0%s\0%s\0%s\0" "$n" $f "$(uname -s)" "$(date +%s)" "$r";
    test "$r" = / && y="-path ./proc -o -path ./sys -o -path ./dev -o";
    set -- "$@" "(" -type d "(" $y -name "";
    while test $i -lt $p; do set -- "$@" -o -name "$1"; shift; i=$((i+1)); done;
    set -- "$@" ")" -prune ")" -o "(" -name "";
    while test $i -lt $c; do set -- "$@" -o -name "$1"; shift; i=$((i+1)); done;
    set -- "$@" ")";
    echo "$n" >&2;
    case $f in
    gnu) find . "$@" "(" -type f -printf "f%s %T@ %C@ %i %p\0"
        -o -type l -exec /bin/sh -c {_GNU_LINKS} sondage {{}} + ")"
        -o -type l -exec /bin/sh -c {_GNU_FOLDER_LINKS} sondage {{}} +;;
    stat) find . "$@" -type f -exec stat -c "f%s %Y %Z %i %n//" {{}} +
        -o -type l -exec /bin/sh -c {_STAT_LINKS} sondage {{}} +;;
    bsd) find . "$@" -type f -exec stat -f "f%z %Fm %Fc %i %N//" {{}} +
        -o -type l -exec /bin/sh -c {_BSD_LINKS} sondage {{}} +;;
    esac;
    s=$?;
    echo "$n" >&2;
    case $f in stat|bsd) printf "e%s %s//\n" $s "$n";; *) printf "e%s %s\0" $s "$n";; esac
""")

# Groups are archived one by one, so that each is known to be good, or not, before the next one starts. The records
# after an archive tell whether a file is still what was listed. GNU tar would write the second name of a hard-linked
# file as a link to the first, and would take a backslash in a name for an escape: both are switched off.
# Status 255 makes xargs stop, when nobody reads any more.
_GROUP = _inner(r"""
    case $k in
    gnu) tar -c -f - -P --no-recursion --hard-dereference --no-unquote "$@";;
    bsd) tar -c -f - -P -n "$@";;
    *) tar -c -f - "$@";;
    esac;
    printf "\0t%s %s\0" $? $# || exit 255;
    case $f in
    gnu) find "$@" -prune -type f -printf "f%s %T@ %C@ %i %p\0"; printf "g\0";;
    stat) stat -c "f%s %Y %Z %i %n//" "$@"; printf "g//\n";;
    bsd) stat -f "f%z %Fm %Fc %i %N//" "$@"; printf "g//\n";;
    esac; :
""")
_PULL = _one_line(rf"""
    n=$(dd bs=1 count={NONCE_LENGTH} 2>/dev/null); g=$(dd bs=1 count={GROUP_DIGITS} 2>/dev/null);
    {_FLAVOUR}
    case $(tar --version 2>/dev/null </dev/null) in *GNU*) k=gnu;; *bsdtar*) k=bsd;; *) k=other;; esac;
    export f k;
    printf "\0%s\0%s\0%s\0" "$n" $f $k;
    xargs -0 -n $g /bin/sh -c {_GROUP} sondage 2>/dev/null;
    printf "\0e%s %s\0" $? "$n"
""")

LIST = f"exec env LC_ALL=C xargs -0 /bin/sh -c '{_LIST}' sondage"
PULL = f"exec env LC_ALL=C /bin/sh -c '{_PULL}' sondage"
