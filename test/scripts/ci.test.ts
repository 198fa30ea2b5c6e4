/** `.ci/run` runs every suite of package.json, or says that it leaves it out. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const CI = readFileSync('.ci/run', 'utf8')
const { scripts }: { scripts: { [name: string]: string } } = JSON.parse(
  readFileSync('package.json', 'utf8'),
)
const SUITES = Object.keys(scripts).filter((name) =>
  /^(test(:.*)?|attack|budget|check|bench:short)$/.test(name),
)
const STEPS: readonly (string | undefined)[] = [
  ...CI.matchAll(/^ *step .*\bnpm (?:run )?([\w:]+)/gm),
].map(([, name]) => name)
const LEFT_OUT: readonly string[] =
  /^# Left out: [\s\S]*?(?=^\w)/m.exec(CI)?.[0].match(/\b(?:test|bench):\w+/g) ?? []

test('every suite is a step of the whole run, or is named there as left out, and none is both', () => {
  expect(SUITES.length).toBeGreaterThan(12)
  const missing = SUITES.filter((name) => !STEPS.includes(name) && !LEFT_OUT.includes(name))
  expect(missing).toEqual([])
  expect(LEFT_OUT.filter((name) => STEPS.includes(name))).toEqual([])
  expect(LEFT_OUT.filter((name) => scripts[name] === undefined)).toEqual([])
})

test('every lane is run', () => {
  const lanes = [...CI.matchAll(/^(\w+)\(\) \{\n {2}(?:#.*\n {2})*step /gm)].map(([, name]) => name)
  expect(lanes.length).toBeGreaterThan(3)
  const run = [...CI.matchAll(/^beside (.+)$/gm)].flatMap(([, names = '']) => names.split(' '))
  expect(run.toSorted()).toEqual(lanes.toSorted())
})

test('no step selects tests by their titles: a title that changed would select none, and the step would pass', () => {
  expect(CI).not.toMatch(/ -t | --testNamePattern/)
})
