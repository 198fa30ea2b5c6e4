/** What `npm run bench:short` finds wrong with the output of a bench. */
import { expect, test } from 'vitest'
import { findOutputErrors } from '../../../bench/short/output-faults.ts'

const HEAD = '| calls | p50 ms |\n| --- | ---: |\n'

test('an output with two whole tables has no fault', () => {
  expect(
    findOutputErrors(`Some machine\n\n${HEAD}| one | 1.5 |\n| two |  |\n\n${HEAD}| three | 2 |\n`),
  ).toEqual([])
})

test.each([
  ['no table', 'Some machine\n', 'prints no table'],
  [
    'a table without rows',
    `${HEAD}\n${HEAD}| one | 1 |\n`,
    'prints a table without rows: | calls | p50 ms |',
  ],
  [
    'a table without rows at its end',
    `${HEAD}| one | 1 |\n\n${HEAD.trimEnd()}`,
    'prints a table without rows: | calls | p50 ms |',
  ],
  [
    'a row that lacks a cell',
    `${HEAD}| one |\n`,
    'prints a row of another width than its table: | one |',
  ],
  ['a figure that is NaN', `${HEAD}| one | NaN |\n`, 'prints what is no figure: | one | NaN |'],
  [
    'a figure that is undefined',
    `${HEAD}| one | undefined |\n`,
    'prints what is no figure: | one | undefined |',
  ],
  [
    'a figure without end',
    `${HEAD}| one | -Infinity |\n`,
    'prints what is no figure: | one | -Infinity |',
  ],
  [
    'NaN outside its tables',
    `${HEAD}| one | 1 |\n\nNaN ms late\n`,
    'prints what is no figure: NaN ms late',
  ],
])('an output with %s has that fault', (_what, text, fault) => {
  expect(findOutputErrors(text)).toEqual([fault])
})
