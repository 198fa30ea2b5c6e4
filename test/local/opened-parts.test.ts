/** Parts that a start has opened are closed in reverse, once, whatever fails. */
import { expect, test } from 'vitest'
import { collectParts } from '../../local/opened-parts.ts'

test('a close goes in reverse order, goes on after a failure, and throws the first one at the end', async () => {
  const closed: string[] = []
  const parts = collectParts()
  parts.add(() => closed.push('folder'))
  parts.add(async () => {
    throw new Error('store')
  })
  parts.add(() => {
    throw new Error('server')
  })
  parts.add(() => Promise.resolve(closed.push('feed')))
  await expect(parts.close()).rejects.toThrow('server')
  expect(closed).toEqual(['feed', 'folder'])
  await parts.close()
  expect(closed).toEqual(['feed', 'folder'])
})
