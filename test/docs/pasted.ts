/** Runs the commands of a page as a reader pastes them: in order, in one shell, against a twin of the test. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startTwin, type Twin } from '../e2e/twin.ts'
import { blocksOf } from './markdown.ts'

export type PageTwin = Pick<Twin, 'key' | 'url'> & {
  /** Where the twin keeps its credentials: `.local` of the pages. */
  readonly folder: string
  stop(): Promise<void>
}

/** The example skills name the default port, which need not be free here: they are synced, not called. */
export async function startPageTwin(more: readonly string[] = []): Promise<PageTwin> {
  const folder = mkdtempSync(join(tmpdir(), 'pasted-'))
  const twin = await startTwin([
    '--data',
    folder,
    '--outbound-allow',
    '127.0.0.1:8787',
    '--events',
    'http://127.0.0.1:9/',
    ...more,
  ])
  const stop = async () => {
    await twin.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return { ...twin, folder, stop }
}

/** Clients that a machine need not have print their arguments as JSON instead. */
const CLIENTS = ['claude', 'npx'].map(
  (name) => `${name}() { node -p 'JSON.stringify(process.argv.slice(1))' -- ${name} "$@"; }`,
)

/** `npx skillgate` runs the command line of this repository, which prints JSON. */
export function openCommandLine({ url }: PageTwin): string[] {
  const line = join(import.meta.dirname, '../../cli/skillgate.mjs')
  const variables = `SKILLGATE_URL='${url}' SKILLGATE_ADMIN_KEY="$ADMIN_KEY"`
  return [`npx() { shift; ${variables} '${process.execPath}' '${line}' "$@" --json; }`]
}

/**
 * Every sh block of `text` but those of npm, whose scripts the test does not start. Answers what the
 * commands printed, line by line: values of lines of JSON, other lines as they are.
 */
export async function pasted(
  twin: PageTwin,
  text: string,
  clients = CLIENTS,
): Promise<readonly unknown[]> {
  const blocks = blocksOf(text).filter(
    ({ language, text: block }) => language === 'sh' && !block.startsWith('npm '),
  )
  // Each answer is one line of JSON without a line feed; the rest of a line is a here-document.
  const script = blocks
    .map(({ text: block }) => block.replace(/^curl -sS/gm, "curl -sS -w '\\n'"))
    .join('')
  const stdout = await runAsPasted(twin, script, clients)
  // An empty line is the answer of a DELETE.
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (/^[[{]/.test(line) ? JSON.parse(line) : line))
}

/** What the commands print, with the twin's address and folder in place of those of `npm start`. */
export async function runAsPasted(
  twin: PageTwin,
  commands: string,
  clients = CLIENTS,
): Promise<string> {
  const script = commands
    // Files that a page writes go where the test removes them.
    .replaceAll(/(?<= |@|")\/tmp\//g, `${twin.folder}/`)
    .replaceAll('http://127.0.0.1:8787', twin.url)
    .replaceAll('./.local/', `${twin.folder}/`)
    .replaceAll(/([>@] ?)(skill[a-z-]*\.json)/g, `$1${twin.folder}/$2`)
  const { stdout } = await promisify(execFile)('sh', ['-ec', [...clients, script].join('\n')])
  return stdout
}
