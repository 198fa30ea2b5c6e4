/** Preloaded (`--import`) into each server of bench:execute: tells its parent the CPU it has used. */
process.on('message', (asked) => {
  if (asked !== 'cpu') return
  const { system, user } = process.cpuUsage()
  process.send?.({ cpuUs: system + user })
})

/** The bench has died: nobody else would end this process. */
process.on('disconnect', () => process.exit())
