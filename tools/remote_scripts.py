"""What runs on the other machine: POSIX shell, with the tools that every Unix has.

`LIBRARY` defines functions, each to be run in a subshell: it ends with 0 or an errno of Linux, or says what went wrong
on standard error in the words of ``strerror`` (the locale is C). Paths are absolute. The *state* of a file is one line:
mode (hexadecimal), size, links, device, inode, and two times, by GNU's or busybox's `stat`, else by BSD's.
"""

from __future__ import annotations

EIO, EISDIR, EINVAL, ESTALE = 5, 21, 22, 116

LIBRARY = r"""
LC_ALL=C; export LC_ALL
state() {
  stat -c '%f %s %h %d %i %y %z' $2 -- "$1" 2>/dev/null && return
  stat $2 -- "$1" >/dev/null && stat -f '%Xp %z %l %d %i %Fm %Fc' $2 -- "$1" 2>/dev/null
}
present() { [ -e "$1" ] || [ -L "$1" ]; }
stat_file() { if [ "$1" = yes ]; then state "$2" -L; else state "$2"; fi; }
real_path() {
  path=$1; rest=
  while :; do
    if real=$(readlink -f -- "$path" 2>/dev/null && echo x); then real=${real%?x}; break; fi
    if [ -L "$path" ]; then echo 'Too many levels of symbolic links' >&2; exit 40; fi
    rest="/${path##*/}$rest"; path=${path%/*}
    [ -n "$path" ] || { real=; break; }
  done
  printf '%s' "$real$rest"
}
refuse_other() {
  if [ -d "$1" ]; then exit 21; fi
  if [ ! -e "$1" ]; then stat -L -- "$1" >/dev/null; exit 2; fi
  if [ ! -f "$1" ]; then exit 22; fi
  [ -r "$1" ] || exit 13
}
open_file() { refuse_other "$1"; state "$1" -L && cat -- "$1"; }
read_small() {
  refuse_other "$1"
  state=$(state "$1" -L) || exit 5
  printf '%s\n' "$state"
  size=${state#* }; size=${size%% *}
  [ "$size" -gt "$2" ] || cat -- "$1"
}
kind() {
  if [ -f "$1" ]; then printf f; elif [ -d "$1" ]; then printf d; elif [ -p "$1" ]; then printf p
  elif [ -S "$1" ]; then printf s; elif [ -e "$1" ]; then printf c; else printf -- -; fi
}
list_folders() {
  for folder do
    if [ ! -d "$folder" ]; then
      if [ -e "$folder" ] || [ -L "$folder" ]; then printf 'E20\0'; else printf 'E2\0'; fi
      continue
    fi
    if [ ! -r "$folder" ] || [ ! -x "$folder" ]; then printf 'E13\0'; continue; fi
    printf 'D\0'
    for entry in "$folder"/* "$folder"/.[!.]* "$folder"/..?*; do
      if [ -L "$entry" ]; then printf l; kind "$entry"
      elif [ -e "$entry" ]; then kind "$entry"
      else continue; fi
      printf '%s\0' "${entry##*/}"
    done
  done
}
make_folders() { mkdir -p -- "$1"; }
find_program() { command -v -- "$1"; }
home_folder() { printf '%s' "$HOME"; }
keep_output() {
  umask 077; cat > "$1"
  find "${1%/*}/" -maxdepth 1 -name 'pyagent-output-*.log' -user "$(id -u)" -mtime +7 -exec rm -f -- {} + 2>/dev/null || :
}
owner() { stat -c %u:%g:%a -- "$1" 2>/dev/null || stat -f %u:%g:%p -- "$1"; }
links() { stat -c %h -- "$1" 2>/dev/null || stat -f %l -- "$1"; }
flush() { sync -- "$1" 2>/dev/null || sync; }
current() { if present "$real"; then state "$real"; fi; }
receive() { cat > "$temporary" && [ "$(wc -c < "$temporary")" -eq "$size" ] && flush "$temporary"; }
write_file() {
  real=$1 version=$2 size=$3 token=$4
  folder=${real%/*}; [ -n "$folder" ] || folder=/
  temporary="$folder/.pyagent-$token.tmp"; backup="$folder/.pyagent-$token.backup"
  trap 'rm -f -- "$temporary"' EXIT
  [ "$(current)" = "$version" ] || exit 116
  if [ -z "$version" ]; then
    receive || exit 28
    ln -- "$temporary" "$real" 2>/dev/null || { present "$real" && exit 116; mv -- "$temporary" "$real" || exit 5; }
    rm -f -- "$temporary"
    state "$real"; exit 0
  fi
  [ -w "$real" ] || exit 13
  in_place=no
  [ "$(links "$real")" -eq 1 ] || in_place=yes
  if (umask 077; : > "$temporary") 2>/dev/null; then
    rm -f -- "$temporary"
    cp -a -- "$real" "$temporary" 2>/dev/null || cp -p -- "$real" "$temporary" || exit 5
    [ "$(owner "$temporary")" = "$(owner "$real")" ] || in_place=yes
  else
    temporary=$(mktemp) || exit 5; in_place=yes
  fi
  receive || exit 28
  [ "$(current)" = "$version" ] || exit 116
  if [ "$in_place" = no ]; then mv -f -- "$temporary" "$real" || exit 5
  else
    cp -p -- "$real" "$backup" 2>/dev/null || backup=
    if ! cat -- "$temporary" > "$real"; then
      [ -z "$backup" ] || cat -- "$backup" > "$real"
      exit 28
    fi
    flush "$real"
    [ -z "$backup" ] || rm -f -- "$backup"
  fi
  state "$real"
}
tree() {
  {
    grep -lF "PYAGENT_TUI_COMMAND=$1" /proc/[0-9]*/environ 2>/dev/null | sed 's|/proc/|m |; s|/environ||'
    cat /proc/[0-9]*/stat 2>/dev/null
  } | awk -v session="$2" '
    $1 == "m" { marked[$2]; next }
    {
      pid = $1; line = $0; sub(/^.*[)] /, "", line); split(line, field, " ")
      if (field[1] == "Z" || field[1] == "X") next
      if ((pid in marked) || (session != "" && field[4] == session)) print pid
    }'
}
count_tree() { tree "$1" "$2" | wc -l; }
end_tree() {
  mark=$1 session=$2 grace=$3 name=TERM
  while :; do
    pids=$(tree "$mark" "$session")
    [ -n "$pids" ] || exit 0
    if [ -n "$name" ]; then kill -s "$name" $pids 2>/dev/null; kill -s CONT $pids 2>/dev/null; fi
    [ "$name" = KILL ] || name=
    sleep 0.05
    grace=$((grace - 50))
    [ "$grace" -gt 0 ] || name=KILL
  done
}
"""

SERVE = r"""
printf '\n%s ready\n' "$1"
while IFS= read -r request; do
  (eval "$request") </dev/null
  code=$?
  printf '\n%s\n' "$1" >&2
  printf '\n%s %s\n' "$1" "$code"
done
"""
"""Answers requests, one line of shell each: what it writes, then on both streams a line with the token ``$1``."""

RUN = r"""
cd -- "$1" || exit 120
command -v -- "$2" >/dev/null || exit 119
errors=$3; shift 3
if [ "$errors" = drop ]; then exec 3>/dev/null; else exec 3>&1; fi
if command -v setsid >/dev/null 2>&1; then setsid=setsid; else setsid=; fi
$setsid env "$@" </dev/null 2>&3 3>&- &
echo "started $!" >&2
wait $!
echo "ended $?" >&2
"""
"""Runs a command: folder, program, ``merge`` or ``drop`` of its errors, then the arguments of `env`."""
