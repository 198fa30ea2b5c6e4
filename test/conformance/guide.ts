/** The guide that the official suite finds: with a folder, a file that is no text, and prices. */
export const GUIDE_ID = 'fixture-tools'

const MAIN = `---
name: ${GUIDE_ID}
description: When to use which of the tools under test.
license: Apache-2.0
metadata:
  author: tests
  level: "2"
---

# The tools under test

<!-- skillgate:prices test_* -->

Read [errors](references/errors.md) if a call fails.
`

export const GUIDE = {
  files: [
    { path: 'SKILL.md', text: MAIN },
    { path: 'references/errors.md', text: '# Errors\n\nCall again after a failure.\n' },
    { path: 'assets/dot.bin', base64: '/wAB' },
  ],
}
