-- Sends the requests of a file one after the other, and prints what was measured as one line of JSON.
-- The requests are whole already: formatting them here would cost the load generator what it should give to both sides.

local requests, at = {}, 0

function init(args)
   local file = assert(io.open(args[1], "rb"))
   for request in file:read("*a"):gmatch("%Z+") do
      requests[#requests + 1] = request
   end
   file:close()
   at = tonumber(args[2]) % #requests
end

function request()
   at = at % #requests + 1
   return requests[at]
end

function done(summary, latency)
   local errors = summary.errors
   io.write(string.format(
      '\nmeasured {"requests":%d,"microseconds":%d,"refused":%d,"broken":%d,"p50":%d,"p95":%d,"p99":%d}\n',
      summary.requests, summary.duration, errors.status,
      errors.connect + errors.read + errors.write + errors.timeout,
      latency:percentile(50), latency:percentile(95), latency:percentile(99)))
end
