/** `--help` of everything in scripts/, bench/, cli/clone/ and test/attack/ that package.json lets a person start. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const PACKAGE: { scripts: { [name: string]: string } } = JSON.parse(
  readFileSync('package.json', 'utf8'),
)

/** The last command of an npm script gets the arguments. */
const STARTED = Object.entries(PACKAGE.scripts).flatMap(([name, commands]) => {
  const last = commands.split(' && ').at(-1) ?? ''
  const [, words] =
    /^node ((?:scripts|bench|test\/attack)\/\S+\.ts|cli\/clone\/main\.ts \S+)/.exec(last) ?? []
  return words === undefined ? [] : [[name, words.split(' ')] as const]
})

test('the test finds scripts to ask', () => {
  expect(STARTED.length).toBeGreaterThanOrEqual(20)
})

test.each(STARTED)(
  'npm run %s -- --help prints its usage, and does nothing',
  async (name, words) => {
    const run = promisify(execFile)
    const { stderr, stdout } = await run(process.execPath, [...words, '--help'])
    expect(stderr).toBe('')
    expect(stdout).toContain(`npm run ${name}`)
    expect(stdout.length).toBeGreaterThan(80)
    expect(stdout).not.toMatch(/^ ?\*/m)
    if (name.startsWith('bench:')) expect(stdout).toContain('--short')
  },
)
