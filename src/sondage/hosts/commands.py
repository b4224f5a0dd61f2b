"""Owns the one command line that sondage ever runs on a host. It is a constant: no name of a host is put into it.

What it starts waits for requests on standard input, lists a tree or reads files at each, and ends with its input. Every
name travels NUL-terminated on standard input and reaches the host's tools as an argument, never as shell text. The
outermost command must mean the same in bash, dash, BusyBox ash, zsh, fish and tcsh, because the host's login shell reads
it: one line, and inside the single quotes no single quote, no exclamation mark, no pair of backslashes.

A request is the line `VERB NONCE SIZE GROUP PACK` and SIZE bytes: words, each ended by NUL. Pulls may be sent before those
ahead of them are answered, and are answered in their order; nothing is sent while a list is. With NUL for the byte 0 and
NONCE for 32 characters that no noise of a start-up file can contain:

list  sent: NONCE, ROOT, the count of pruned names, the pruned names, the patterns. GROUP and PACK do not matter.
      answered: NUL NONCE NUL FLAVOUR NUL SYSTEM NUL CLOCK NUL ROOT NUL, records, the record `eSTATUS COUNT NONCE`,
      COUNT being the lines that find wrote on standard error: entries it could not read.
pull  sent: absolute paths, which are read in groups of GROUP. PACK says what the way to the host is: `near`, `far`, or
      `plain` when there is too little to pack.
      answered: NUL NONCE NUL FLAVOUR NUL TAR NUL PACKED NUL, and packed by that (`plain`, `gzip`, `zstd`): for each
      group of paths a tar archive, NUL `tSTATUS COUNT` NUL, the records of the same files as they are *after* they were
      read, the record `g`; at last NUL `eSTATUS NONCE` NUL. After it, and not packed, NUL `xNONCE` NUL: there the answer
      ends, also where a packer failed.

A record ends with NUL where FLAVOUR is `gnu`, and with `//` and a line feed where it is `stat` or `bsd` (no path can
contain `//`, and those tools cannot write a NUL). It is one of
    fSIZE MTIME CTIME INODE PATH        a regular file; times in seconds, with or without a fraction
    lPATH and REAL and                  a symbolic link, the real path it leads to, and what is there, MODE being
    SIZE MTIME CTIME INODE MODE         hexadecimal: three records, the last two empty where it leads nowhere
"""

from __future__ import annotations

from collections.abc import Sequence

from sondage.hosts.base import ENVIRONMENT_MARKS, INSTALLED

NONCE_LENGTH = 32
GROUP_LIMIT = 999


def _one_line(script: str) -> str:
    return " ".join(line.strip() for line in script.strip().splitlines())


def _names(separator: str, names: Sequence[bytes]) -> str:
    return separator.join(name.decode() for name in names)


# `gnu` has find -printf, `stat` (BusyBox) prints with stat -c, `bsd` (macOS as well) with stat -f.
_FLAVOUR = """
    if find / -prune -printf "" >/dev/null 2>&1; then f=gnu;
    elif stat -c %s / >/dev/null 2>&1; then f=stat;
    elif stat -f %z / >/dev/null 2>&1; then f=bsd;
    else f=none; fi;
"""

_GNU_LINKS = _one_line(r"""
    for f do case $only in folders) test -d "$f" || continue;; esac;
    printf "l%s\0" "$f"; readlink -zf "$f" || printf "\0";
    stat -L --printf "%s %.9Y %.9Z %i %f\0" "$f" || printf "\0"; done 2>/dev/null; :
""")
_STAT_LINKS = _one_line(r"""
    for f do printf "l%s//\n%s//\n" "$f" "$(readlink -f "$f")";
    stat -L -c "%s %Y %Z %i %f//" "$f" || printf "//\n"; done 2>/dev/null; :
""")
_BSD_LINKS = _one_line(r"""
    for f do printf "l%s//\n%s//\n" "$f" "$(readlink -f "$f")";
    stat -L -f "%z %Fm %Fc %i %Xp//" "$f" || printf "//\n"; done 2>/dev/null; :
""")

# A root of `~` or `~/…` is the only thing that is expanded. What find looks for is built from the arguments
# themselves, so that none of them is read as shell text; `-name ""` matches nothing and opens a list of alternatives
# that may stay empty. BusyBox runs an `-exec … +` only where it stands outside of all brackets. The kernel's own trees
# hold no sources and answer slowly. Links whose names were not asked for matter only where they lead to a folder.
# Find writes its records to 4, its complaints into the pipe where they are counted. Meanwhile somebody reads from 3,
# the requests: when those end, nobody is there any more, and a find that writes nothing would never notice. `last` is
# the name of the variable that holds the last background process: csh takes that sign for itself, quoted or not.
_LIST = (
    _one_line(r"""
    n=$1; r=$2; p=$3; shift 3; c=$#; i=0; y=;
    case $r in "~") r=$HOME;; "~/"*) r=$HOME/${r#??};; esac;
    if cd -P -- "$r" 2>/dev/null; then r=$(pwd -P);
    elif test -d "$r"; then f=closed; elif test -e "$r"; then f=file; else f=absent; fi;
    printf "\0%s\0%s\0%s\0%s\0%s\0" "$n" $f "$(uname -s)" "$(date +%s)" "$r";
    case $f in gnu|stat|bsd);; *) printf "e0 0 %s\0" "$n"; exit;; esac;
    e=; for x in {MARKS}; do test -e $x && e=e; done;
    test "$r" = / && y="-path ./proc -o -path ./sys -o -path ./dev -o";
    set -- "$@" "(" -type d "(" $y -name "";
    while test $i -lt $p; do
    case $e$1 in e{INSTALLED});; *) set -- "$@" -o -name "$1";; esac; shift; i=$((i+1)); done;
    set -- "$@" ")" -prune ")" -o "(" -name "";
    while test $i -lt $c; do set -- "$@" -o -name "$1"; shift; i=$((i+1)); done;
    set -- "$@" ")";
    exec 4>&1; last=$(printf "\041");
    { case $f in
    gnu) find . "$@" "(" -type f -printf "f%s %T@ %C@ %i %p\0"
        -o -type l -exec /bin/sh -c "$gnu" sondage {} + ")"
        -o -type l -exec env only=folders /bin/sh -c "$gnu" sondage {} + 2>&1 >&4 &;;
    stat) find . "$@" -type f -exec stat -c "f%s %Y %Z %i %n//" {} +
        -o -type l -exec /bin/sh -c "$stat" sondage {} + 2>&1 >&4 &;;
    bsd) find . "$@" -type f -exec stat -f "f%z %Fm %Fc %i %N//" {} +
        -o -type l -exec /bin/sh -c "$bsd" sondage {} + 2>&1 >&4 &;;
    esac;
    eval "j=\$$last"; (read -r x <&3; kill -9 $j) & eval "w=\$$last";
    wait $j; s=$?; kill -9 $w; wait $w; printf "e%s " $s >&4; } 2>/dev/null | wc -l;
    case $f in gnu) printf " %s\0" "$n";; *) printf " %s//\n" "$n";; esac
""")
    .replace("{INSTALLED}", _names("|e", INSTALLED))
    .replace("{MARKS}", _names(" ", ENVIRONMENT_MARKS))
)

# Groups are archived one by one, so that each is known to be good, or not, before the next one starts. The records
# after an archive tell whether a file is still what was listed. GNU tar would write the second name of a hard-linked
# file as a link to the first, and would take a backslash in a name for an escape: both are switched off.
# Status 255 makes xargs stop, when nobody reads any more.
_GROUP = _one_line(r"""
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

# TMOUT is how long bash reads at most; start-up files set it for people who go away. `read` takes one byte at a time from
# a pipe; a head that takes more than it is told to (BusyBox, BSD) would swallow the next request: dd does not. `3<&3` hands
# 3 on where the shell (ksh) would keep it to itself. The tools that only a pull needs are looked for while nobody waits:
# when a listing is on its way.
_MAIN = _one_line(rf"""
    for x in find head tar wc xargs; do command -v $x >/dev/null || exit 127; done;
    unset TMOUT; exec 3<&0; k=; h=head; near=plain; far=plain;
    {_FLAVOUR}
    take() {{ case $h in head) head -c $s;; *) dd ibs=1 obs=4096 count=$s 2>/dev/null;; esac; }};
    look() {{ case $(tar --version 2>/dev/null </dev/null) in *GNU*) k=gnu;; *bsdtar*) k=bsd;; *) k=other;; esac;
    case $(printf ab | {{ head -c 1 >/dev/null; head -c 1; }}) in b);; *) h=dd; command -v dd >/dev/null || k=none;; esac;
    if zstd -3 -T1 -q -c </dev/null >/dev/null 2>&1; then near=zstd; far=zstd;
    elif gzip -1 -c </dev/null >/dev/null 2>&1; then far=gzip; fi; }};
    pull() {{ take | xargs -0 -n $g /bin/sh -c "$group" sondage 2>/dev/null; printf "\0e%s %s\0" $? "$n"; }};
    export f k;
    while read -r verb n s g m; do
    case $verb in
    list) take | xargs -0 /bin/sh -c "$list" sondage 3<&3; test "$k" || look;;
    *) test "$k" || look; case $m in near) m=$near;; far) m=$far;; esac;
    printf "\0%s\0%s\0%s\0%s\0" "$n" $f $k $m;
    case $m in zstd) pull | zstd -3 -T1 -q -c;; gzip) pull | gzip -1 -c;; *) pull;; esac;
    printf "\0x%s\0" "$n";;
    esac;
    done
""")

_SCRIPTS = {"list": _LIST, "gnu": _GNU_LINKS, "stat": _STAT_LINKS, "bsd": _BSD_LINKS, "group": _GROUP}

SERVE = " ".join(
    ["exec env LC_ALL=C", *(f"{name}='{script}'" for name, script in _SCRIPTS.items()), f"/bin/sh -c '{_MAIN}' sondage"]
)


def end_mark(nonce: bytes) -> bytes:
    """The last bytes of the answer to a pull."""
    return b"\0x%s\0" % nonce


def request_line(verb: str, nonce: bytes, size: int, group: int = 1, pack: str = "plain") -> bytes:
    return f"{verb} {nonce.decode()} {size} {group} {pack}\n".encode()
