local key, id, mode, owner, running, bytes, runner, expires = KEYS[1], unpack(ARGV)
local task = key .. 'task:' .. id
local old = redis.call('HMGET', task, 'version', 'owner', 'running', 'bytes', 'runner')
local function charge(name, running, bytes)
    redis.call('HINCRBY', key .. 'usage', 'running' .. name, running)
    if redis.call('HINCRBY', key .. 'usage', 'bytes' .. name, bytes) == 0 then
        redis.call('HDEL', key .. 'usage', 'running' .. name, 'bytes' .. name)
    end
end
local function fits(name, max_running, max_bytes)
    local used = redis.call('HMGET', key .. 'usage', 'running' .. name, 'bytes' .. name)
    return (used[1] or 0) + running <= tonumber(max_running)
        and (used[2] or 0) + bytes <= tonumber(max_bytes)
end
if mode == 'insert' then
    if not (fits('*', ARGV[10], ARGV[11]) and fits(owner, ARGV[12], ARGV[13])) then return 0 end
elseif mode ~= 'remove' and mode ~= old[1] then
    return 0
end
if old[1] then
    redis.call('DEL', task)
    redis.call('ZREM', key .. 'ends', id)
    redis.call('SREM', key .. 'runner:' .. old[5], id)
    if redis.call('EXISTS', key .. 'runner:' .. old[5]) == 0 then
        redis.call('SREM', key .. 'runners', old[5])
    end
    charge('*', 0 - old[3], 0 - old[4])
    charge(old[2], 0 - old[3], 0 - old[4])
end
if mode ~= 'remove' then
    charge('*', running, bytes)
    charge(owner, running, bytes)
    redis.call('HSET', task, 'version', ARGV[8], 'record', ARGV[9],
        'owner', owner, 'running', running, 'bytes', bytes, 'runner', runner)
    if expires ~= '' then redis.call('ZADD', key .. 'ends', expires, id) end
    if runner ~= '' and running == '1' then
        redis.call('SADD', key .. 'runner:' .. runner, id)
        redis.call('SADD', key .. 'runners', runner)
    end
end
redis.call('PUBLISH', key .. 'changed', id)
return 1
