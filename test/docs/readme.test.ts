/** README.md is short, begins with one command, and shows what the twin prints. */
import { expect, test } from 'vitest'
import { formatBanner } from '../../local/terminal/banner.ts'
import { patternOf } from './exchanges.ts'
import { blocksOf, readText, sectionOf } from './markdown.ts'

const README = readText('README.md')
const LINES_MAX = 200

test(`README.md has at most ${LINES_MAX} lines`, () => {
  expect(README.trimEnd().split('\n').length).toBeLessThanOrEqual(LINES_MAX)
})

test('README.md begins with one command to start', () => {
  const commands = blocksOf(sectionOf(README, '## Start')).filter(
    ({ language }) => language === 'sh',
  )
  expect(commands.map(({ text }) => text.trim())).toEqual(['npm ci && npm start'])
})

test('README.md shows lines that the twin prints', () => {
  const printed = formatBanner({
    version: '1.2.3',
    readySec: 1,
    data: 'data .local (kept)',
    kept: true,
    origin: 'http://127.0.0.1:8787',
    key: 'sgk_0',
    username: 'demo',
    credits: 100,
    consoleUrl: 'http://127.0.0.1:8787/v1/console/',
    adminKey: '0',
    prefix: 'sg',
    outboundAllow: [],
    tools: [],
    loginOrigin: undefined,
    program: 'npx skillgate',
    isPacked: false,
    profileOptions: '',
    keysFile: '.local/credentials.json',
  }).split('\n')
  const [shown] = blocksOf(sectionOf(README, '## Start')).filter(
    ({ language }) => language === 'text',
  )
  const lines = shown?.text.trimEnd().split('\n') ?? []
  expect(lines.length).toBeGreaterThan(1)
  for (const line of lines) {
    expect(printed).toContainEqual(expect.stringMatching(patternOf(line)))
  }
})
