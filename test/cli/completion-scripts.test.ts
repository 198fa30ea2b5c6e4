/** Completion scripts: the name that they complete, and the program that they ask. Real shells source them. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { SHELLS } from '../../cli/command/completion-scripts.ts'
import { runLine } from './test-shell.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-completion-'))
  mkdirSync(join(home, 'bin'))
  return () => rmSync(home, { recursive: true, force: true })
})

/** A program that answers `__complete` with its own name and the last word. */
function install(name: string): void {
  const file = join(home, 'bin', name)
  writeFileSync(file, '#!/bin/sh\nfor last; do :; done\necho "$(basename "$0")-$last-$1"\n')
  chmodSync(file, 0o755)
}

async function print(line: string): Promise<string> {
  const { code, out } = await runLine(line.split(' '), {
    home,
    env: { PATH: join(home, 'bin') },
    program: 'npx skillgate',
  })
  expect(code).toBe(0)
  return out
}

/** Sources the script in bash, and completes the word `us` after `name`. */
function completeInBash(script: string, name: string, before = ''): string {
  const lines = `${before}
${script}
COMP_WORDS=(${name} us); COMP_CWORD=1
$(complete -p ${name} | sed 's/.*-F \\([^ ]*\\) .*/\\1/'); echo "\${COMPREPLY[*]}"; ${name} hello`
  const env = { PATH: `${join(home, 'bin')}:/usr/bin:/bin` }
  return execFileSync('bash', ['-c', lines], { env, encoding: 'utf8' })
}

describe('the script', () => {
  test('completes skillgate where that is installed, and defines nothing', async () => {
    install('skillgate')
    const script = await print('completion bash')
    expect(script).toContain('source <(skillgate completion bash)')
    expect(script).not.toMatch(/function|npx/)
    expect(completeInBash(script, 'skillgate')).toBe(
      'skillgate-us-__complete\nskillgate-hello-hello\n',
    )
  })

  test('makes skillgate a name for npx skillgate where that alone is there', async () => {
    install('npx')
    const script = await print('completion bash')
    expect(completeInBash(script, 'skillgate')).toBe('npx-us-skillgate\nnpx-hello-skillgate\n')
  })

  test('leaves a function of that name as the person has it', async () => {
    install('npx')
    const script = await print('completion bash')
    const own = 'skillgate() { echo mine; }'
    expect(completeInBash(script, 'skillgate', own)).toBe('npx-us-skillgate\nmine\n')
  })

  test('completes another name of the program by that program', async () => {
    install('sg')
    const script = await print('completion bash --name sg')
    expect(script).toContain('source <(sg completion bash --name sg)')
    expect(completeInBash(script, 'sg')).toBe('sg-us-__complete\nsg-hello-hello\n')
  })

  test('completes an alias by the program behind it', async () => {
    install('npx')
    const script = await print('completion bash --name sg')
    expect(completeInBash(script, 'sg', 'sg() { echo mine; }')).toBe('npx-us-skillgate\nmine\n')
  })

  test.each(SHELLS)(
    'for %s has the given name, and never the usual one in its place',
    async (one) => {
      install('my.sg')
      const script = await print(`completion ${one} --name my.sg`)
      expect(script).toContain('my.sg __complete')
      expect(script).not.toContain('skillgate')
    },
  )
})

test('a name that is no word of a shell is refused', async () => {
  for (const name of ['a;b', '$(x)', 'a b', '', 'x'.repeat(65)]) {
    const { code, err } = await runLine(['completion', 'bash', `--name=${name}`], { home })
    expect([code, err.includes('--name')]).toEqual([2, true])
  }
  const { code } = await runLine(['completion', 'bash', '--name', 'x'.repeat(64)], { home })
  expect(code).toBe(0)
})
