import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { linesOfTurn } from '../../../local/terminal/lines-of-turn.ts'

function printer() {
  const writes: string[] = []
  return { writes, print: linesOfTurn({ write: (text) => writes.push(text) }) }
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
