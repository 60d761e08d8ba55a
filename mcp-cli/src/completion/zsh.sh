#compdef mcp
# Completes `mcp` in zsh. Put `source <(mcp completions zsh)` after `compinit` into ~/.zshrc.
_mcp() {
    local -a found closed open
    found=("${(@f)$(MCP_COMPLETE=zsh PROGRAM -- "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    # Candidates that begin with `=` are not followed by a space.
    closed=("${(@)${(@M)found:#+*}#+}")
    open=("${(@)${(@M)found:#=*}#=}")
    if (( $#closed + $#open == 0 )); then
        _files
        return
    fi
    (( $#closed )) && _describe -V 'values' closed
    (( $#open )) && _describe -V 'values' open -S ''
}
compdef _mcp mcp
