/**
 * The lint and purity rules work. The tree in fixtures/lint is laid out like the repository; the
 * first line of each file says what Biome must find in it: `// expect: <category> …` or `// expect:
 * nothing`.
 */
import { cpSync, globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  type Finding,
  findImpurities,
  lintFolder,
  withRules,
} from '../../scripts/check-pure-core.ts'

const TREE = join(import.meta.dirname, 'fixtures/lint')
const FILES = globSync('**/*.{ts,tsx}', { cwd: TREE }).sort()
const expected = new Map(FILES.map((file) => [file, expectationOf(file)]))
const { fileCount, findings } = withRules(
  (root) => cpSync(TREE, root, { recursive: true }),
  (root) => lintFolder(root, '.'),
)

function expectationOf(file: string): readonly string[] {
  const [first = ''] = readFileSync(join(TREE, file), 'utf8').split('\n')
  const [, words] = /^\/\/ expect: (.+)$/.exec(first) ?? []
  if (words === undefined) throw new Error(`${file} does not say what to expect`)
  return words === 'nothing' ? [] : words.split(' ').sort()
}

function categoriesIn(file: string): readonly string[] {
  const own = findings.filter((finding: Finding) => finding.file === file)
  return [...new Set(own.map(({ category }) => category))].sort()
}

test.each(FILES)('lint finds in %s what its first line says, and nothing else', (file) => {
  expect(categoriesIn(file)).toEqual(expected.get(file))
})

test('every rule that biome.json turns on has a broken file', () => {
  const covered = new Set(
    [...expected.values()].flat().map((category) => category.split('/').at(-1)),
  )
  const missing = rulesTurnedOn().filter((rule) => !covered.has(rule))
  expect(missing).toEqual([])
})

test('every global that core/ or console/ is denied has a broken file', () => {
  const messages = findings.map(({ message }) => message).join('\n')
  const missing = deniedGlobals().filter((name) => !messages.includes(`global variable ${name}.`))
  expect(missing).toEqual([])
})

test.each([
  ['pure-core', 'core/'],
  ['text-nodes-only', 'console/'],
])('every pattern of the plugin %s has a broken file in %s', (plugin, folder) => {
  const file = join(import.meta.dirname, `../../scripts/lint/${plugin}.grit`)
  const patterns = readFileSync(file, 'utf8').match(/^ {2}`.+`,?$/gm) ?? []
  const sinners = [...expected].filter(
    ([sinner, categories]) => sinner.startsWith(folder) && categories.includes('plugin'),
  )
  expect(patterns.length).toBeGreaterThan(0)
  expect(sinners.length).toBeGreaterThanOrEqual(patterns.length)
})

test('lint judges every file that it is given', () => {
  expect(fileCount).toBeGreaterThanOrEqual(FILES.length)
})

test('the check of the pure core refuses a tree without a core, where nothing would be judged', async () => {
  const root = await mkdtemp(join(tmpdir(), 'skillgate-empty-'))
  try {
    expect(findImpurities(root)).toEqual(['core/ holds no file: nothing was judged'])
  } finally {
    await rm(root, { recursive: true })
  }
})

type BiomeConfig = {
  linter: { rules: { [group: string]: string | { [rule: string]: string | { level: string } } } }
  overrides: {
    linter?: {
      rules?: {
        style?: {
          noRestrictedGlobals?: 'off' | { options: { deniedGlobals: Record<string, string> } }
        }
      }
    }
  }[]
}

function biomeConfig(): BiomeConfig {
  const text = readFileSync(join(import.meta.dirname, '../../biome.json'), 'utf8')
  return JSON.parse(text) as BiomeConfig
}

function rulesTurnedOn(): readonly string[] {
  const groups = Object.values(biomeConfig().linter.rules).filter(
    (group) => typeof group !== 'string',
  )
  const rules = groups.flatMap((group) => Object.entries(group))
  const isOn = (rule: string | { level: string }) =>
    (typeof rule === 'string' ? rule : rule.level) === 'error'
  return rules.filter(([, rule]) => isOn(rule)).map(([name]) => name)
}

function deniedGlobals(): readonly string[] {
  return biomeConfig().overrides.flatMap(({ linter }) => {
    const rule = linter?.rules?.style?.noRestrictedGlobals
    return rule === undefined || rule === 'off' ? [] : Object.keys(rule.options.deniedGlobals)
  })
}
