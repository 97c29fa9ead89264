/** Hosts that only this machine reaches. */
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Whether an address leads to this machine. */
export const isLoopback = ({ hostname }: URL): boolean => loopback.test(hostname)
