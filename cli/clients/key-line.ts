/**
 * The line that sets the variable of the key in the person's shell. The line holds a command that
 * prints the key, not the key: neither the screen nor the history of the shell shows it.
 */
import { KEY_VARIABLE } from '../../core/clients/server-entry.ts'

export type KeyLine = {
  /** Sets the variable in this shell. */
  readonly line: string
  /** How the variable stays set, as a sentence. */
  readonly stays: string
}

/**
 * `command` prints the key. `shell` is the variable SHELL, which is usually not set on Windows,
 * where the line is for PowerShell.
 */
export function formatKeyLine(
  command: string,
  { platform, shell }: { readonly platform: NodeJS.Platform; readonly shell: string | undefined },
): KeyLine {
  const name = shell
    ?.split(/[\\/]/)
    .at(-1)
    ?.replace(/\.exe$/, '')
  if (name === 'pwsh' || (name === undefined && platform === 'win32')) {
    return formatPowerShell(command, platform)
  }
  switch (name) {
    case 'fish':
      return {
        line: `set -gx ${KEY_VARIABLE} (${command})`,
        stays: addTo('~/.config/fish/config.fish'),
      }
    case 'bash':
      return formatPosix(command, platform === 'darwin' ? '~/.bash_profile' : '~/.bashrc')
    case 'zsh':
      return formatPosix(command, '~/.zshrc')
    default:
      return formatPosix(command, 'the start file of your shell')
  }
}

/** On Windows a variable of the user also reaches programs that are started from the menu. */
function formatPowerShell(command: string, platform: NodeJS.Platform): KeyLine {
  const line = `$env:${KEY_VARIABLE} = ${command}`
  if (platform !== 'win32') return { line, stays: addTo('$PROFILE') }
  return {
    line,
    stays: `To keep it, also for programs of the menu: [Environment]::SetEnvironmentVariable('${KEY_VARIABLE}', $env:${KEY_VARIABLE}, 'User')`,
  }
}

function formatPosix(command: string, file: string): KeyLine {
  return { line: `export ${KEY_VARIABLE}="$(${command})"`, stays: addTo(file) }
}

function addTo(file: string): string {
  return `To keep it, add the line to ${file}.`
}
