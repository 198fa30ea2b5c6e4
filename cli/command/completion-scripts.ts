/**
 * The scripts that make a shell complete `skillgate`. Each script passes the words so far to
 * `skillgate __complete`, so one piece of code completes for all shells. If that command prints
 * nothing, the shell offers file names.
 */

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const

/** Returns the script for the shell, ready to be sourced. */
export function getCompletionScript(shell: (typeof SHELLS)[number]): string {
  switch (shell) {
    case 'bash':
      return BASH
    case 'zsh':
      return ZSH
    case 'fish':
      return FISH
    case 'powershell':
      return POWERSHELL
    default:
      return shell satisfies never
  }
}

const BASH = `# In ~/.bashrc: source <(skillgate completion bash)
_skillgate() {
  local IFS=$'\\n'
  COMPREPLY=($(skillgate __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -o bashdefault -F _skillgate skillgate
`

const ZSH = `#compdef skillgate
# In ~/.zshrc, after compinit: source <(skillgate completion zsh)
_skillgate() {
  local -a found
  found=("\${(@f)$(skillgate __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if (( \${#found} )) && [[ -n "\${found[1]}" ]]; then compadd -a found; else _files; fi
}
compdef _skillgate skillgate
`

const FISH = `# skillgate completion fish > ~/.config/fish/completions/skillgate.fish
function __skillgate_complete
    set -l words (commandline -opc) (commandline -ct)
    skillgate __complete -- $words[2..-1] 2>/dev/null
end
complete -c skillgate -a '(__skillgate_complete)'
`

const POWERSHELL = `# In $PROFILE: skillgate completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName skillgate -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
    if ($wordToComplete -eq '') { $words += '""' }
    skillgate __complete -- @words 2>$null | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
    }
}
`
