/**
 * The scripts that make a shell complete a name. Each script passes the words so far to
 * `PROGRAM __complete`, so one piece of code completes for all shells. If that command prints
 * nothing, the shell offers file names.
 */

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const

export type Completed = {
  /** The word that a person types. It has letters, digits, dots, - and _ alone. */
  readonly name: string
  /** The words that start the command line, such as `npx skillgate`. */
  readonly program: string
  /**
   * True if nothing is known of the name, so the script makes it a function that starts the
   * program. Shells complete the first word of a line, and `npx` has a completion of its own.
   */
  readonly isMissing: boolean
}

/** Returns the script for the shell, ready to be sourced. */
export function getCompletionScript(shell: (typeof SHELLS)[number], of: Completed): string {
  const more = of.name === 'skillgate' ? '' : ` --name ${of.name}`
  const command = `${of.program} completion ${shell}${more}`
  return SCRIPTS[shell]({ ...of, command, id: of.name.replaceAll(/\W/g, '_') })
}

type Parts = Completed & {
  /** The command that prints this script. */
  readonly command: string
  /** The name, as a part of the name of a function. */
  readonly id: string
}

/** Returns the line that makes the name start the program; no text if the shell has the name. */
function defineName({ isMissing, name, program }: Parts, line: string): string {
  return isMissing
    ? `# ${name} is not installed here, so it is a name for ${program}.\n${line}\n`
    : ''
}

function toBash(parts: Parts): string {
  const { command, id, name, program } = parts
  return `# In ~/.bashrc: source <(${command})
${defineName(parts, `command -v ${name} >/dev/null || function ${name} { ${program} "$@"; }`)}_${id}_complete() {
  local IFS=$'\\n'
  COMPREPLY=($(${program} __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -o bashdefault -F _${id}_complete ${name}
`
}

function toZsh(parts: Parts): string {
  const { command, id, name, program } = parts
  return `#compdef ${name}
# In ~/.zshrc, after compinit: source <(${command})
${defineName(parts, `command -v ${name} >/dev/null || function ${name} { ${program} "$@"; }`)}_${id}_complete() {
  local -a found
  found=("\${(@f)$(${program} __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if (( \${#found} )) && [[ -n "\${found[1]}" ]]; then compadd -a found; else _files; fi
}
compdef _${id}_complete ${name}
`
}

/** fish reads its folder of completions when a name is completed, too late for one that is missing. */
function toFish(parts: Parts): string {
  const { command, id, isMissing, name, program } = parts
  const folder = isMissing ? 'conf.d' : 'completions'
  return `# ${command} > ~/.config/fish/${folder}/${name}.fish
${defineName(parts, `type -q ${name}; or function ${name}; ${program} $argv; end`)}function __${id}_complete
    set -l words (commandline -opc) (commandline -ct)
    ${program} __complete -- $words[2..-1] 2>/dev/null
end
complete -c ${name} -a '(__${id}_complete)'
`
}

function toPowerShell(parts: Parts): string {
  const { command, name, program } = parts
  return `# In $PROFILE: ${command} | Out-String | Invoke-Expression
${defineName(parts, `if (-not (Get-Command ${name} -ErrorAction Ignore)) { function global:${name} { ${program} @args } }`)}Register-ArgumentCompleter -Native -CommandName ${name} -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
    if ($wordToComplete -eq '') { $words += '""' }
    ${program} __complete -- @words 2>$null | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
    }
}
`
}

const SCRIPTS: { readonly [shell in (typeof SHELLS)[number]]: (parts: Parts) => string } = {
  bash: toBash,
  zsh: toZsh,
  fish: toFish,
  powershell: toPowerShell,
}
