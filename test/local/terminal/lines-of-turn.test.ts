import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTurnPrinter } from '../../../local/terminal/lines-of-turn.ts'
import { toShownJson } from '../../../local/terminal/style.ts'

function printer() {
  const writes: string[] = []
  return { writes, print: createTurnPrinter({ write: (text) => writes.push(text) }) }
}

test('the lines of one turn are one write, in their order', async () => {
  const { print, writes } = printer()
  print('first')
  print('second')
  expect(writes).toEqual([])
  await setImmediate()
  expect(writes).toEqual(['first\nsecond\n'])
})

test('a line of a later turn is a write of its own', async () => {
  const { print, writes } = printer()
  print('first')
  await setImmediate()
  print('second')
  await setImmediate()
  expect(writes).toEqual(['first\n', 'second\n'])
})

test('a terminal gets the colours of the twin, and what others wrote as escapes', async () => {
  const writes: string[] = []
  const print = createTurnPrinter({ write: (text) => writes.push(text), isTTY: true })
  print('\u001b[33mwarn\u001b[0m a\u009b2J\u202eb\u{E0041}\u001b[2Jc')
  await setImmediate()
  expect(writes).toEqual(['\u001b[33mwarn\u001b[0m a\\u{9b}2J\\u{202e}b\\u{e0041}\\u{1b}[2Jc\n'])
})

test('a terminal gets lines of JSON that stay JSON of the same value', async () => {
  const writes: string[] = []
  const print = createTurnPrinter({ write: (text) => writes.push(text), isTTY: true }, toShownJson)
  print(JSON.stringify({ says: 'a\u009bb\u{E0041}' }))
  await setImmediate()
  expect(writes).toEqual(['{"says":"a\\u009bb\\udb40\\udc41"}\n'])
})
