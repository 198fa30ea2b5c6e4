/** The README's promises: its options are the twin's, and its lines work when they are pasted. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPTION_ROWS } from '../../local/settings/option-table.ts'
import { startTwin, type Twin } from '../e2e/twin.ts'
import { blocksOf, codeOf, readText, rowsOf, sectionOf } from './markdown.ts'

const README = readText('README.md')

describe('the README', () => {
  test('begins with how to start and how to test', () => {
    const commands = blocksOf(sectionOf(README, '## Start')).filter(
      ({ language }) => language === 'sh',
    )
    expect(commands.map(({ text }) => text.trim())).toEqual(['npm ci && npm start', 'npm test'])
  })

  test('lists the options of the twin in its words', () => {
    const told = rowsOf(sectionOf(README, '## Options')).map(([option = '', env = '', help]) => ({
      option: codeOf(option),
      env: codeOf(env),
      help,
    }))
    const real = OPTION_ROWS.map(({ env, flag, help, value }) => ({
      option: `--${flag}${value === undefined ? '' : ` ${value}`}`,
      env,
      help,
    }))
    expect(told).toEqual(real)
  })

  test('every configuration of a client is JSON with the endpoint and a key', () => {
    const section = sectionOf(README, '## Connect an agent')
    const configurations = blocksOf(section).filter(({ language }) => language === 'json')
    expect(configurations).toHaveLength(3)
    for (const { text } of configurations) {
      const compact = JSON.stringify(JSON.parse(text))
      expect(compact).toContain('"http://127.0.0.1:8787/mcp"')
      expect(compact).toContain('Bearer sgk_…')
    }
  })
})

describe('the commands in the README', () => {
  let twin: Twin

  beforeAll(async () => {
    // The example skill names the default port, which need not be free here: it is synced, not
    // called.
    twin = await startTwin(['--memory', '--outbound-allow', '127.0.0.1:8787'])
  })
  afterAll(() => twin.stop())

  test('a call without MCP answers with what it cost', async () => {
    expect(await pasted('## Use it without MCP')).toEqual([
      expect.objectContaining({ skillId: 'sg_weather', credits: expect.anything() }),
    ])
  })

  test('a skill for everyone, a user with a private one, and credits', async () => {
    expect(await pasted('## Add a skill')).toEqual([
      expect.objectContaining({ toolName: 'sg_joke', created: true, listed: true }),
      expect.objectContaining({ uid: 'ada', credits: 25 }),
      expect.objectContaining({ key: expect.stringMatching(/^sgk_/) }),
      expect.objectContaining({ toolName: 'ada_sg_greet', created: true, listed: true }),
      expect.objectContaining({ granted: true }),
      expect.objectContaining({ uid: 'ada', credits: 35 }),
    ])
  })

  /** Runs the section's curl lines as sh would, against the twin of this test. */
  async function pasted(heading: string): Promise<readonly unknown[]> {
    const answers: unknown[] = []
    for (const { language, text } of blocksOf(sectionOf(README, heading))) {
      if (language !== 'sh' || !text.includes('curl')) continue
      // Each answer is one line of JSON without a line feed; the rest of a line is a here-document.
      const script = text
        .replaceAll('http://127.0.0.1:8787', twin.url)
        .replace(/^curl -sS/gm, "curl -sS -w '\\n'")
      const env = { ...process.env, KEY: twin.key, ADMIN_KEY: twin.adminKey }
      const { stdout } = await promisify(execFile)('sh', ['-c', script], { env })
      answers.push(
        ...stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      )
    }
    return answers
  }
})
