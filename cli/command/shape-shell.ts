/**
 * Fits the streams of a command to the options that every command takes, so that no command reads
 * them: `--no-color`, `--utc`, `--json` on stderr, and `--jq`.
 */
import type { Output, Shell } from '../terminal/shell.ts'
import type { JqFilter } from './jq.ts'

export type Shape = {
  readonly isJson: boolean
  readonly hasNoColours: boolean
  readonly hasStamps: boolean
  readonly filter?: JqFilter | undefined
}

export function shapeShell(shell: Shell, shape: Shape): Shell {
  const restyle = (output: Output): Output => ({
    ...output,
    hasColours: output.hasColours && !shape.hasNoColours,
    hasRelativeTimes: output.hasRelativeTimes && !shape.hasStamps,
  })
  const [out, err] = [restyle(shell.out), restyle(shell.err)]
  return {
    ...shell,
    out: shape.filter === undefined ? out : filterJson(out, shape.filter),
    err: shape.isJson ? toJsonLines(err) : err,
  }
}

function filterJson(out: Output, filter: JqFilter): Output {
  return { ...out, writeJson: (text) => out.write(filter(text, out.isTTY)) }
}

/** Makes each line of talk `{"note":"…"}`, so that a program can read all of stderr. */
function toJsonLines(err: Output): Output {
  let begun = ''
  return {
    isTTY: false,
    hasColours: false,
    hasRelativeTimes: false,
    columns: undefined,
    control: () => {},
    writeJson: err.writeJson,
    write: (text) => {
      const lines = (begun + text).split('\n')
      begun = lines.pop() ?? ''
      for (const note of lines) if (note !== '') err.writeJson(`${JSON.stringify({ note })}\n`)
    },
  }
}
