# Completes `mcp` in bash. Put `source <(mcp completions bash)` into ~/.bashrc.
_mcp() {
    local IFS=$'\n'
    # Words are split by the program, because bash also splits them at `:` and `=`.
    COMPREPLY=($(MCP_COMPLETE=bash PROGRAM -- "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null))
    case ${COMPREPLY-} in
        *[=/:]) compopt -o nospace 2>/dev/null ;;
    esac
}
complete -o bashdefault -o default -o nosort -F _mcp mcp 2>/dev/null ||
    complete -o bashdefault -o default -F _mcp mcp
